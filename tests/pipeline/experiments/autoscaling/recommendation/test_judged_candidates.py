"""Days of a recording by the clock."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from pipeline.experiments.autoscaling.recommendation import judged_candidates

pytestmark = pytest.mark.unit


def test_weekends_follow_the_clock() -> None:
    """A recording that starts on a Thursday."""
    edges = np.arange(8) * 24
    found = judged_candidates.weekends(datetime(2026, 3, 5, 0, tzinfo=UTC), edges, 3600.0)
    assert found is not None
    assert found.tolist() == [False, False, True, True, False, False, False]
    assert judged_candidates.weekends(None, edges, 3600.0) is None
