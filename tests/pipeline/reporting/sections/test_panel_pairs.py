"""Cells with two panels that share their time."""

from __future__ import annotations

import pytest

from pipeline.reporting.drawing import panel_pairs
from pipeline.reporting.drawing.axes import Panel, Scale
from pipeline.reporting.drawing.figure import NARROW, WIDE

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("count", "width", "corners", "height"),
    [
        (1, WIDE, [(0.0, 20.0)], 120.0),
        (3, WIDE, [(0.0, 20.0), (380.0, 20.0), (0.0, 120.0)], 220.0),
        (2, NARROW, [(0.0, 20.0), (0.0, 120.0)], 220.0),
    ],
)
def test_a_wide_figure_has_two_cells_in_a_row(
    count: int, width: float, corners: list[tuple[float, float]], height: float
) -> None:
    places, end = panel_pairs.places(count, width, 100.0, top=20.0)
    assert [(place.left, place.top) for place in places] == corners
    assert end == height
    assert {place.width for place in places} == {width / len({left for left, _ in corners})}


def test_the_upper_panel_is_as_wide_as_the_time() -> None:
    upper = panel_pairs.above(Scale(0.0, 10.0, 58.0, 348.0), 42.0, 100.0, 7.0)
    assert (upper.left, upper.top, upper.right, upper.bottom) == (58.0, 42.0, 348.0, 142.0)
    assert upper.at(10.0, 7.0) == (348.0, 42.0)
    assert upper.at(0.0, 0.0) == (58.0, 142.0)


def test_the_lower_panel_has_the_time_of_the_upper_one() -> None:
    upper = Panel(58.0, 42.0, 348.0, 142.0, Scale(0.0, 10.0, 58.0, 348.0), _counts(7.0))
    lower = panel_pairs.below(upper, 66.0, 0.001, 10.0)
    assert (lower.left, lower.right, lower.x) == (58.0, 348.0, upper.x)
    assert (lower.top, lower.bottom) == (168.0, 234.0)
    assert (lower.y(0.0), lower.y(0.001), lower.y(10.0)) == (234.0, 234.0, 168.0)
    panel_pairs.title(lower, "lag")
    panel_pairs.time_unit(lower, "seconds")
    assert [part for part in lower.parts if ">lag<" in part]
    assert [part for part in lower.parts if ">seconds<" in part]


def _counts(high: float) -> Scale:
    return Scale(0.0, high, 142.0, 42.0)


@pytest.mark.parametrize(
    ("high", "ticks"), [(0.5, ["0"]), (4.2, ["0", "1", "2", "3", "4"]), (26.0, ["0", "10", "20"])]
)
def test_counts_have_whole_ticks_and_no_time(high: float, ticks: list[str]) -> None:
    panel = Panel(0.0, 42.0, 300.0, 142.0, Scale(0.0, 10.0, 0.0, 300.0), _counts(high))
    panel_pairs.count_axes(panel)
    texts = [part.split(">")[1].split("<")[0] for part in panel.parts if part.startswith("<text")]
    assert texts == ticks


@pytest.mark.parametrize(
    ("high", "ticks"), [(10.0, [1, 10]), (1e4, [1, 100, 1e4]), (1e8, [1, 1e3, 1e6])]
)
def test_decades_have_at_most_five_ticks(high: float, ticks: list[float]) -> None:
    assert panel_pairs.decades(Scale(1.0, high, 100.0, 0.0, log=True)) == ticks


def test_values_that_hold_have_no_corners_in_between() -> None:
    panel = Panel(0.0, 0.0, 30.0, 10.0, Scale(0.0, 3.0, 0.0, 30.0), Scale(0.0, 10.0, 10.0, 0.0))
    corners = panel_pairs.held(panel, (0.0, 1.0, 2.0), (1.0, 2.0, 3.0), (5.0, 5.0, 7.0))
    assert corners == [(0.0, 5.0), (20.0, 5.0), (20.0, 3.0), (30.0, 3.0)]
