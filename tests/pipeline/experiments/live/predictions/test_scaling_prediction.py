"""Predictions of autoscaling strategies by the simulated group."""

from __future__ import annotations

import numpy as np
import pytest

from live.live_settings import LiveSettings
from pipeline.experiments.live.predictions import scaling_prediction

T = 6.0


def settings(**changes) -> LiveSettings:
    defaults = {"run": "r", "bootstrap": "", "folder": "", "partitions": 4, "iterations": 3}
    defaults |= {"capacity": 200_000.0, "consumer_rate": 240_000.0, "iteration_s": T}
    return LiveSettings(**{**defaults, **changes})


def test_a_constant_group_that_is_too_small_waits_as_fluid_theory_says():
    """Two consumers of 240 kB/s get 600 kB/s: the wait grows by a quarter of the time."""
    rates = np.full((3, 4), 150_000.0)
    figures = scaling_prediction.predict(
        settings(), rates, "constant:initial_replicas=2", 0.1, None
    )
    assert (figures.consumers, figures.migrations) == (2.0, 0.0)
    # Of the events that depart from T on: from T until all of 3 T has departed, at 3.75 T. The
    # wait at a departure at time t is t - t / 1.25.
    departed = np.array([0.5, 0.9, 0.99]) * 2.75 * T + T
    assert [figures.p50, figures.p90, figures.p99] == pytest.approx(
        (0.2 * departed).tolist(), rel=0.01
    )


def test_a_strategy_that_follows_the_rate_needs_fewer_consumers_and_moves_partitions():
    rates = np.array([[200_000.0] * 4, [40_000.0] * 4, [200_000.0] * 4])
    figures = scaling_prediction.predict(settings(), rates, "linear", 0.1, 1.0)
    assert 1.0 < figures.consumers < 4.0
    assert figures.migrations > 0
    assert 0.0 <= figures.p50 <= figures.p90 <= figures.p99 < T
