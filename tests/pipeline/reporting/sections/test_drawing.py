"""Scales and labels of figures."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.reporting.drawing import labels, svg
from pipeline.reporting.drawing.axes import Scale, nice_step, room_above

pytestmark = pytest.mark.unit

pixels = st.lists(st.floats(0, 400), min_size=1, max_size=14)


@given(places=pixels)
def test_spread_keeps_order_and_distance(places: list[float]) -> None:
    placed = labels.spread(places, 13.0, 0.0, 400.0)
    order = sorted(range(len(places)), key=lambda i: places[i])
    for before, after in pairwise(order):
        assert placed[after] - placed[before] >= 13.0 - 1e-9
    assert min(placed) >= -1e-9
    assert max(placed) <= 400.0 + 1e-9


@given(places=pixels)
def test_spread_leaves_alone_what_is_apart(places: list[float]) -> None:
    apart = [20.0 * i for i in range(len(places))]
    assert labels.spread(apart, 13.0, 0.0, 400.0) == apart


def test_spread_shares_the_shift() -> None:
    assert labels.spread([100.0, 100.0], 10.0, 0.0, 400.0) == [95.0, 105.0]


def test_labels_of_one_point_do_not_cover_each_other() -> None:
    bounds = labels.Box(0, 0, 300, 200)
    names = ["MBFP", "BFD", "FFD", "WFD", "MBF"]
    placed = labels.place(names, [(150.0, 100.0)] * 5, bounds, 12.0, [])
    assert [label.text for label in placed] == names
    for one, other in combinations(placed, 2):
        width = min(one.box.right, other.box.right) - max(one.box.left, other.box.left)
        height = min(one.box.bottom, other.box.bottom) - max(one.box.top, other.box.top)
        assert min(width, height) <= 0


def test_labels_that_find_no_place_are_left_out() -> None:
    """The first ones stay, and none of those that do covers another one."""
    bounds = labels.Box(0, 0, 120, 60)
    names = [f"SR_{i}" for i in range(30)]
    placed = labels.place(names, [(60.0, 30.0)] * 30, bounds, 12.0, [])
    kept = labels.apart(placed)
    assert kept[0].text == "SR_0"
    assert 1 < len(kept) < 30
    for one, other in combinations(kept, 2):
        width = min(one.box.right, other.box.right) - max(one.box.left, other.box.left)
        height = min(one.box.bottom, other.box.bottom) - max(one.box.top, other.box.top)
        assert max(width, 0.0) * max(height, 0.0) <= labels.TOUCHING


def test_labels_stay_within_bounds_and_off_taken_places() -> None:
    bounds = labels.Box(0, 0, 200, 100)
    right = labels.Box(100, 0, 200, 100)
    (label,) = labels.place(["NF"], [(98.0, 50.0)], bounds, 12.0, [right])
    assert label.box.right <= right.left
    (label,) = labels.place(["NF"], [(199.0, 1.0)], bounds, 12.0, [])
    assert label.box.right <= bounds.right
    assert label.box.top >= bounds.top


@given(low=st.floats(-1e3, 1e3), span=st.floats(1e-3, 1e6), count=st.integers(2, 12))
def test_ticks_are_round_and_few_and_within(low: float, span: float, count: int) -> None:
    scale = Scale(low, low + span, 0.0, 100.0)
    ticks = scale.ticks(count)
    assert len(ticks) <= count + 1
    assert all(low - 1e-6 * span <= tick <= low + span * (1 + 1e-6) for tick in ticks)


@pytest.mark.parametrize(("least", "step"), [(0.3, 0.5), (1.0, 1.0), (1.1, 2.0), (7.0, 10.0)])
def test_nice_step(least: float, step: float) -> None:
    assert nice_step(least) == pytest.approx(step)


def test_nice_step_of_nothing() -> None:
    assert nice_step(0.0) == 1.0


def test_logarithmic_scale() -> None:
    scale = Scale(0.01, 100.0, 400.0, 0.0, log=True, zero=420.0)
    assert scale(1.0) == pytest.approx(200.0)
    assert scale.ticks(10) == pytest.approx([0.01, 0.1, 1.0, 10.0, 100.0])
    assert scale(0.0) == 420.0
    assert scale(math.inf) == pytest.approx(0.0)


def test_linear_scale_keeps_to_its_ends() -> None:
    scale = Scale(0.0, 10.0, 100.0, 200.0)
    assert [scale(v) for v in (-5.0, 0.0, 5.0, 10.0, 99.0)] == [100.0, 100.0, 150.0, 200.0, 200.0]


def test_room_above_ignores_what_has_no_size() -> None:
    assert room_above([1.0, math.nan, math.inf], 0.1) == pytest.approx(1.1)
    assert room_above([]) == 1.0


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (-0.04, "0"), (2.25, "2.2"), (100.0, "100")]
)
def test_coordinates_are_short(value: float, text: str) -> None:
    assert svg.number(value) == text


def test_texts_and_tooltips_are_escaped() -> None:
    assert "&lt;a&gt; &amp;" in svg.text(0, 0, "<a> &")
    assert "&lt;i&gt;" in svg.marker("cross", 0, 0, "x", "<i>")


@pytest.mark.parametrize("shape", ["circle", "cross", *svg._CORNERS])
def test_marks_have_shape_and_class(shape: str) -> None:
    assert 'class="mark"' in svg.marker(shape, 10, 10, "mark")
