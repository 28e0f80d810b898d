"""Runs without percentiles of latencies: all other figures are the same numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.simulation.group_simulation import simulate_in_detail

pytestmark = pytest.mark.unit

PERCENTILES = ("p50", "p90", "p95", "p99", "p999")


@pytest.mark.parametrize("strategy", ["constant", "headroom", "keda_hpa"])
def test_only_percentiles_are_missing(strategy: str) -> None:
    rates = np.random.default_rng(3).gamma(0.5, 60.0, (200, 4))
    settings = {"mu": 90.0, "wsla_s": 1.0, "initial_replicas": 2}
    with_them = simulate_in_detail(rates, strategy, settings=settings)
    without = simulate_in_detail(rates, strategy, settings=settings, has_percentiles=False)
    assert with_them.result.peak_lag > 100.0
    for name, value in with_them.result._asdict().items():
        other = getattr(without.result, name)
        if name in PERCENTILES:
            assert value > 0.0
            assert math.isnan(other)
        else:
            np.testing.assert_array_equal(other, value, err_msg=name)
    for mine, other in zip(with_them.trajectory, without.trajectory, strict=True):
        np.testing.assert_array_equal(mine, other)
