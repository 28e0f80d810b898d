"""Pareto fronts, against the definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.pareto_front import non_dominated

pytestmark = pytest.mark.unit

# Few values, so that equal points and equal coordinates abound.
coordinates = st.sampled_from([-math.inf, 0.0, 0.5, 1.0, 2.0, math.inf])
Points = list[tuple[float, ...]]


@st.composite
def clouds(draw: st.DrawFn) -> Points:
    """Strategy for up to twelve points of one to four coordinates."""
    dimensions = draw(st.integers(1, 4))
    return draw(st.lists(st.tuples(*[coordinates] * dimensions), min_size=1, max_size=12))


def dominates(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether a point is nowhere larger than another and somewhere smaller."""
    pairs = list(zip(one, other, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


@given(clouds())
def test_the_front_is_what_nothing_dominates(points: Points) -> None:
    """The definition, pair by pair."""
    expected = [not any(dominates(other, point) for other in points) for point in points]
    front = non_dominated(np.array(points))
    assert front.tolist() == expected
    assert front.dtype == np.bool_


@given(clouds())
def test_every_other_point_is_dominated_by_one_on_the_front(points: Points) -> None:
    """So the front alone suffices for any choice, and it is never empty."""
    on_front = non_dominated(np.array(points)).tolist()
    front = [point for point, on in zip(points, on_front, strict=True) if on]
    assert front
    for point, on in zip(points, on_front, strict=True):
        assert on or any(dominates(other, point) for other in front)


@given(clouds(), st.randoms(use_true_random=False))
def test_the_order_of_points_does_not_matter(points: Points, random: object) -> None:
    """Each point keeps its verdict when they are shuffled."""
    before = dict(zip(points, non_dominated(np.array(points)).tolist(), strict=True))
    random.shuffle(points)  # type: ignore[attr-defined]
    assert non_dominated(np.array(points)).tolist() == [before[point] for point in points]


@given(clouds())
def test_units_do_not_matter(points: Points) -> None:
    """Growing transformations of each coordinate, different ones, keep the front."""
    values = np.array(points)
    scale = np.array([3.0, 0.25, 8.0, 1.0])[: values.shape[1]]
    assert non_dominated(values * scale + 1.0).tolist() == non_dominated(values).tolist()


def test_a_front_worked_by_hand() -> None:
    """Consumers against migrations: the second pays more for both, the last two are equal."""
    points = np.array([[0.1, 9.0], [0.2, 9.5], [0.3, 4.0], [0.3, 5.0], [0.9, 1.0], [0.9, 1.0]])
    assert non_dominated(points).tolist() == [True, False, True, False, True, True]


def test_no_points_have_no_front() -> None:
    """An empty answer rather than an error: a run may have no algorithm of the paper's twelve."""
    front = non_dominated(np.empty((0, 2)))
    assert front.shape == (0,)
    assert front.dtype == np.bool_


@pytest.mark.parametrize("shape", [(3,), (3, 0), (2, 2, 2)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    """The message shows the shape."""
    with pytest.raises(InvalidParameterError, match="points must have shape"):
        non_dominated(np.zeros(shape))


def test_undefined_coordinates_are_refused() -> None:
    """NaN compares as false with everything: such a point would always be on the front."""
    with pytest.raises(InvalidParameterError, match=r"points\[1\] must not be NaN"):
        non_dominated(np.array([[0.0, 1.0], [math.nan, 1.0]]))
