"""Sums and percentiles of waiting times agree with plain ones over all segments."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from algorithms.simulation import latency_percentiles, latency_segments
from algorithms.simulation.latency_segments import LATE, LONGEST, MASS, MOMENT, Latencies
from tests.algorithms.simulation import plain_latency

pytestmark = pytest.mark.unit

Rows = NDArray[np.float64]
LIMIT, HORIZON = 4.0, 1000.0
SHARES = ("0.001", "0.25", "0.5", "0.75", "0.9", "0.99", "0.999", "1")


def drawn(seed: int) -> Rows:
    """Segments with many ties: events, first and last wait."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    rows = np.empty((n, 3))
    rows[:, 0] = rng.integers(1, 9, n) / 4
    rows[:, 1:] = rng.integers(0, 13, (n, 2)) / 2
    if seed % 3 == 0:
        # Atoms, of which some have no wait at all.
        rows[:, 2] = rows[:, 1]
    if seed % 5 == 0:
        rows[:, 1:] = rng.uniform(0.0, HORIZON, (n, 2)) ** rng.uniform(0.1, 1.0)
    return rows


def added(rows: Rows, at_once: float, intervals: Rows, capacity: int) -> Latencies:
    latencies = latency_segments.create(intervals, LIMIT, capacity)
    latency_segments.add_at_once(latencies, at_once)
    for events, first, last in rows:
        latency_segments.add(latencies, events, first, last)
    return latencies


def searched(rows: Rows, at_once: float, left: float, capacity: int) -> Rows:
    """Percentiles after as many passes as it takes."""
    shares = np.array([float(share) for share in SHARES])
    waits = np.full(shares.size, np.nan)
    intervals, windows = np.array([[0.0, HORIZON + 1.0]]), np.zeros(shares.size, np.int64)
    for _ in range(6):
        missing = np.isnan(waits)
        latencies = added(rows, at_once, intervals, capacity)
        waits[missing], closer = latency_percentiles.percentiles(
            latencies, left, shares[missing], windows
        )
        intervals = closer[np.isnan(waits[missing])]
        if intervals.size == 0:
            return waits
        windows = np.arange(len(intervals))
    raise AssertionError("the windows do not get narrow")


def exact(rows: Rows, at_once: float) -> list[plain_latency.Segment]:
    parts = [tuple(Fraction(value) for value in row) for row in rows.tolist()]
    if at_once > 0.0:
        parts.append((Fraction(at_once), Fraction(0), Fraction(0)))
    return parts  # type: ignore[return-value]


@pytest.mark.parametrize("many", [10_000, 5])
@pytest.mark.parametrize("capacity", [100, 7, 1])
@pytest.mark.parametrize("seed", range(30))
def test_percentiles(seed: int, capacity: int, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where segments are counted in bins first, and where passes are repeated."""
    monkeypatch.setattr(latency_percentiles, "_MANY", many)
    rows = drawn(seed)
    at_once, left = float(seed % 4), float(seed % 2)
    parts = exact(rows, at_once)
    for share, latency in zip(SHARES, searched(rows, at_once, left, capacity), strict=True):
        expected = plain_latency.percentile(parts, Fraction(left), Fraction(share))
        assert latency == (math.inf if expected is None else pytest.approx(float(expected))), share


@pytest.mark.parametrize("seed", range(30))
def test_sums(seed: int) -> None:
    rows = drawn(seed)
    latencies = added(rows, 2.0, np.array([[0.0, HORIZON]]), 100)
    parts = exact(rows, 2.0)
    total = sum(mass for mass, _, _ in parts)
    late = total - plain_latency.share(parts, Fraction(LIMIT))
    moment = sum(mass * (first + last) / 2 for mass, first, last in parts)
    assert latencies.sums[MASS] == pytest.approx(float(total))
    assert latencies.sums[LATE] == pytest.approx(float(late), abs=1e-12)
    assert latencies.sums[MOMENT] == pytest.approx(float(moment))
    assert latencies.sums[LONGEST] == rows[:, 1:].max()


def test_waits_that_differ_from_the_limit_by_rounding_are_within_it() -> None:
    rows = np.array([[1.0, LIMIT + 5e-10, LIMIT + 5e-10], [1.0, 0.0, LIMIT + 5e-10]])
    assert added(rows, 0.0, np.array([[0.0, HORIZON]]), 9).sums[LATE] == 0.0


def test_all_events_are_late_if_serving_one_takes_too_long() -> None:
    latencies = latency_segments.create(np.array([[0.0, 1.0]]), -0.1, 9)
    latency_segments.add_at_once(latencies, 3.0)
    latency_segments.add(latencies, 2.0, 0.0, 1.0)
    assert latencies.sums[LATE] == 5.0


def test_a_share_that_sums_reach_but_for_rounding_is_reached() -> None:
    """Half of the events wait 1 s and half 2 s: the median is 1 s, whatever the order of adding."""
    rows = np.array([[1.0, 2.0, 2.0]] + [[0.1, 1.0, 1.0]] * 10)
    latencies = added(rows, 0.0, np.array([[0.0, HORIZON]]), 99)
    assert latencies.sums[MASS] > 2.0
    assert median(latencies) == 1.0


def test_a_million_segments() -> None:
    rng = np.random.default_rng(1)
    latencies = latency_segments.create(np.array([[0.0, HORIZON]]), LIMIT, 1_000_000)
    rows = latencies.segments
    rows[:, 0] = rng.uniform(0.0, 9.0, 1_000_000)
    rows[:, 1] = rows[:, 0] + rng.uniform(0.0, 1.0, 1_000_000)
    rows[:, 2] = 1.0
    latencies.counters[0] = latencies.sums[MASS] = 1_000_000
    latency = median(latencies)
    below = np.clip((latency - rows[:, 0]) / (rows[:, 1] - rows[:, 0]), 0.0, 1.0)
    assert below.sum() == pytest.approx(500_000, abs=1e-3)


def median(latencies: Latencies) -> float:
    values, _ = latency_percentiles.percentiles(
        latencies, 0.0, np.array([0.5]), np.zeros(1, np.int64)
    )
    return float(values[0])
