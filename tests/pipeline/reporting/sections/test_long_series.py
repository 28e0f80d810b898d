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


@given(values=SERIES)
def test_a_short_curve_goes_from_zero_through_the_end_of_each_step(values: np.ndarray) -> None:
    points = long_series.curve(values, 2.0)
    for k, value in enumerate([0, *values]):
        assert value_at(points, 2.0 * k) == pytest.approx(value)


def test_points_between_equal_ones_are_left_out() -> None:
    assert long_series.steps(np.array([3, 3, 3, 1]), 1.0) == [(0, 3), (3, 3), (3, 1), (4, 1)]
    assert long_series.curve(np.zeros(50), 1.0) == [(0, 0), (50, 0)]


@pytest.mark.parametrize("n", [MOST_POINTS // 2, MOST_POINTS // 2 + 1, MOST_POINTS, 7_200, 99_991])
@pytest.mark.parametrize("draw", [long_series.steps, long_series.curve])
def test_a_long_series_keeps_all_peaks_and_few_points(n: int, draw: object) -> None:
    """Of each span of time, the least and the greatest value are points of the line."""
    values = np.random.default_rng(n).exponential(size=n)
    peaks = np.random.default_rng(n + 1).choice(n, 5, replace=False)
    values[peaks] = 1000.0 + np.arange(5)
    points = draw(values, 1.0)  # type: ignore[operator]
    assert len(points) <= MOST_POINTS
    times, drawn = np.array(points).T
    assert (np.diff(times) >= 0).all()
    assert times[0] >= 0.0
    assert times[-1] <= n
    assert {drawn.min(), drawn.max()} <= {0.0, values.min(), values.max()}
    assert drawn.max() == values.max()
    spans = np.array_split(np.arange(n), MOST_POINTS // 2)
    greatest = {values[span].max() for span in spans if len(span)}
    if draw is long_series.steps:
        assert greatest <= set(drawn)


def test_a_peak_is_drawn_where_it_is() -> None:
    values = np.zeros(50_000)
    values[31_234] = 7.0
    assert (31_234.5, 7.0) in long_series.steps(values, 1.0)
    assert (31_235.0, 7.0) in long_series.curve(values, 1.0)
