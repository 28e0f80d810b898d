"""How far a group is behind, in seconds."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.experiments.autoscaling.simulation import time_lag

pytestmark = pytest.mark.unit


def test_how_far_a_group_is_behind() -> None:
    """10 events/s for four steps of 2 s, and nothing read in the second and third."""
    arrived = np.array([20.0, 20.0, 20.0, 20.0])
    lag = np.array([0.0, 20.0, 40.0, 10.0])
    assert time_lag.behind(arrived, lag, 2.0).tolist() == [0.0, 2.0, 4.0, 1.0]
    nothing = np.zeros(3)
    assert time_lag.behind(nothing, nothing, 2.0).tolist() == [0.0, 0.0, 0.0]
