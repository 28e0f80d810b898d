"""Intervals over blocks of time that depend on each other: they cover what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

from algorithms.core.arrays import Floats
from algorithms.inference import block_fronts, block_regrets
from algorithms.inference.block_correlation import correlation, stretch

pytestmark = pytest.mark.unit

SECONDS, BLOCK = 7_200, 120


def loads(correlated_s: float, count: int, seed: int) -> Floats:
    """Blocks of positive loads with mean 1 whose log is correlated over some seconds."""
    rng = np.random.default_rng(seed)
    factor = np.exp(-1.0 / correlated_s)
    drawn = rng.standard_normal((count, SECONDS)) * np.sqrt(1.0 - factor**2)
    start = factor * rng.standard_normal((count, 1))
    levels, _ = lfilter([1.0], [1.0, -factor], drawn, axis=1, zi=start)
    values: Floats = np.exp(0.3 * levels - 0.045).reshape(count, -1, BLOCK).mean(axis=2)
    return values


@pytest.mark.parametrize("correlated_s", [5.0, 30.0, 120.0, 300.0, 900.0])
def test_intervals_cover_whatever_the_correlation(correlated_s: float) -> None:
    held = []
    for values in loads(correlated_s, 400, 3):
        reach = 1.96 * stretch(values) * values.std() / np.sqrt(values.size)
        held.append(abs(values.mean() - 1.0) <= reach)
    assert 0.93 <= np.mean(held) <= 0.98


@pytest.mark.parametrize("correlated_s", [30.0, 300.0])
def test_regrets_cover_whatever_the_correlation(correlated_s: float) -> None:
    """A strategy that costs 10 % more, and as much again as the load where the load is high."""
    held = []
    many = loads(correlated_s, 800, 4)
    true = float((1.1 * many + (many - 1.0) ** 2).mean()) - 1.0
    for values in many[:80]:
        cost = 1.1 * values + (values - 1.0) ** 2
        interval = block_regrets.regret_interval([cost[None, :]], [np.ones(values.size)], 1)
        held.append(interval.low <= true <= interval.high)
    assert np.mean(held) >= 0.9


def test_areas_are_wider_where_blocks_depend_on_each_other() -> None:
    values = loads(300.0, 1, 5)[0] / 2.0
    shuffled = np.random.default_rng(0).permutation(values)
    widths = []
    for series in (values, shuffled):
        points = np.stack([series, np.zeros(series.size)], axis=-1)[None, None]
        interval = block_fronts.area_interval([points], 1)
        widths.append(interval.high - interval.low)
    assert widths[0] > 2.0 * widths[1]


def test_correlation_of_known_series() -> None:
    rng = np.random.default_rng(1)
    noise = rng.standard_normal((40, 500))
    assert correlation(noise) == pytest.approx(0.0, abs=0.01)
    following, _ = lfilter([1.0], [1.0, -0.6], noise, axis=1, zi=np.zeros((40, 1)))
    assert correlation(following) == pytest.approx(0.6, abs=0.02)


def test_what_does_not_vary_or_is_too_short() -> None:
    assert correlation(np.full(20, 0.1)) == 0.0
    assert stretch(np.array([1.0, 5.0])) == 1.0
    assert stretch(np.full(200, 3.0)) == pytest.approx(1.0, abs=0.02)
