"""Long series as lines of few points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.reporting.drawing import long_series
from pipeline.reporting.drawing.long_series import MOST_POINTS

pytestmark = pytest.mark.unit

SERIES = st.lists(st.integers(0, 5), min_size=1, max_size=60).map(np.array)


def value_at(points: list[tuple[float, float]], time: float) -> float:
    """The line at a time within a step."""
    times, values = zip(*points, strict=True)
    return float(np.interp(time, times, values))


@given(values=SERIES, step=st.sampled_from([0.5, 1.0, 30.0]))
def test_a_short_series_is_constant_within_each_step(values: np.ndarray, step: float) -> None:
    points = long_series.steps(values, step)
    assert points[0][0] == 0.0
    assert points[-1][0] == len(values) * step
    for k, value in enumerate(values):
        for share in (0.1, 0.9):
            assert value_at(points, (k + share) * step) == pytest.approx(value)


def test_points_between_equal_ones_are_left_out() -> None:
    assert long_series.steps(np.array([3, 3, 3, 1]), 1.0) == [(0, 3), (3, 3), (3, 1), (4, 1)]


@pytest.mark.parametrize("n", [MOST_POINTS // 2, MOST_POINTS // 2 + 1, MOST_POINTS, 7_200, 99_991])
def test_a_long_series_keeps_all_peaks_and_few_points(n: int) -> None:
    """Of each span of time, the least and the greatest value are points of the line."""
    values = np.random.default_rng(n).exponential(size=n)
    peaks = np.random.default_rng(n + 1).choice(n, 5, replace=False)
    values[peaks] = 1000.0 + np.arange(5)
    points = long_series.steps(values, 1.0)
    assert len(points) <= MOST_POINTS
    times, drawn = np.array(points).T
    assert (np.diff(times) >= 0).all()
    assert times[0] >= 0.0
    assert times[-1] <= n
    assert {drawn.min(), drawn.max()} <= {0.0, values.min(), values.max()}
    assert drawn.max() == values.max()
    spans = np.array_split(np.arange(n), MOST_POINTS // 2)
    greatest = {values[span].max() for span in spans if len(span)}
    assert greatest <= set(drawn)


def test_a_peak_is_drawn_where_it_is() -> None:
    values = np.zeros(50_000)
    values[31_234] = 7.0
    assert (31_234.5, 7.0) in long_series.steps(values, 1.0)


@pytest.mark.parametrize("n", [1, 239, 240, 241, 5_000])
def test_a_line_has_a_level_for_each_span(n: int) -> None:
    """Of a series that jumps with every step, a line shows medians, and a band all values."""
    values = np.where(np.arange(n) % 3, 1.0, 40.0)
    values[n // 2] = 99.0
    size = long_series.span(n)
    assert -(-n // size) <= long_series.SPANS
    points = long_series.levels(values, np.median, 5.0)
    assert (points[0][0], points[-1][0]) == (0.0, 5.0 * n)
    for start in range(0, n, size):
        middle = 5.0 * (start + 0.5 * min(size, n - start))
        assert value_at(points, middle) == np.median(values[start : start + size])
    band = long_series.band(values, 5.0)
    assert (band == []) == (size == 1)
    if band:
        assert {value for _, value in band} == {1.0, 40.0, 99.0}
