"""Indicators of fronts, against their definitions, moocore, and the paper's own front."""

import math
from itertools import product

import moocore
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.assignment import registry
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.seeds import stream_seed
from algorithms.inference.front_quality import attainment, epsilon, front, hypervolume, on_axes
from algorithms.scores import assignment_scores, sweep
from algorithms.workloads import random_walk

# Integers, so that areas can be counted in squares, and points share coordinates.
coordinates = st.integers(0, 6).map(float)
clouds = st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=8).map(np.array)
Fronts = list[np.ndarray]


@pytest.mark.unit
@given(clouds)
def test_hypervolume_counts_the_squares_that_are_dominated(points: np.ndarray) -> None:
    squares = sum(any(x <= i and y <= j for x, y in points) for i, j in product(range(5), repeat=2))
    assert hypervolume(points, (5.0, 5.0)) == squares


@pytest.mark.unit
@given(clouds, st.randoms())
def test_hypervolume_is_that_of_the_front_in_any_order(points: np.ndarray, random: object) -> None:
    area = hypervolume(points, (6.5, 6.5))
    assert hypervolume(points[::-1], (6.5, 6.5)) == pytest.approx(area)
    assert hypervolume(front(points), (6.5, 6.5)) == pytest.approx(area)
    assert area == pytest.approx(moocore.hypervolume(points, ref=[6.5, 6.5]))


@pytest.mark.unit
def test_a_point_beyond_the_reference_point_adds_nothing() -> None:
    assert hypervolume(np.array([[0.0, 1.1], [1.2, 0.0], [2.0, 2.0]])) == 0.0
    assert hypervolume(np.empty((0, 2))) == 0.0
    assert hypervolume(np.array([[0.1, 0.1], [1.2, 0.0]])) == pytest.approx(1.0)


@pytest.mark.unit
@given(clouds, clouds)
def test_epsilon_is_the_least_shift_that_covers(points: np.ndarray, others: np.ndarray) -> None:
    least_shift = epsilon(points, others)

    def covers(shift: float) -> bool:
        moved = points - shift
        return all(any((point <= other).all() for point in moved) for other in others)

    assert covers(least_shift)
    assert not covers(least_shift - 0.5)
    assert least_shift == pytest.approx(moocore.epsilon_additive(points, ref=others))


@pytest.mark.unit
@given(clouds)
def test_epsilon_of_a_front_against_all_is_nothing(points: np.ndarray) -> None:
    assert epsilon(front(points), points) == 0.0


def attained(fronts: Fronts, x: float, y: float) -> float:
    """Share of the replicates that have a point at most as large in both coordinates."""
    return sum(any((point <= (x, y)).all() for point in one) for one in fronts) / len(fronts)


@pytest.mark.unit
@given(st.lists(clouds, min_size=1, max_size=6), st.sampled_from([0.25, 0.5, 0.75, 1.0]))
def test_a_surface_bounds_what_a_share_of_the_replicates_attains(
    fronts: Fronts, level: float
) -> None:
    surface = attainment(fronts, level)
    assert (np.diff(surface[:, 0]) > 0).all()
    assert (np.diff(surface[:, 1]) < 0).all()
    for x, y in product(np.arange(-0.5, 7.5, 0.5), repeat=2):
        dominated = bool((surface <= (x, y)).all(axis=1).any())
        assert dominated == (attained(fronts, x, y) >= level)


@pytest.mark.unit
@given(st.lists(clouds, min_size=1, max_size=6), st.sampled_from([25, 50, 75, 100]))
def test_moocore_finds_the_same_surface(fronts: Fronts, percentile: int) -> None:
    sets = np.repeat(np.arange(1, len(fronts) + 1), [len(one) for one in fronts])
    expected = moocore.eaf(np.concatenate(fronts), sets, percentiles=[percentile])
    expected = expected[np.argsort(expected[:, 0])][:, :2]
    assert attainment(fronts, percentile / 100).tolist() == expected.tolist()


@pytest.mark.unit
@pytest.mark.parametrize(("n", "level", "needed"), [(100, 0.07, 7), (20, 0.25, 5), (10, 0.25, 3)])
def test_a_share_of_replicates_is_a_whole_number_of_them(n: int, level: float, needed: int) -> None:
    fronts = [np.array([[0.0, float(i)]]) for i in range(1, n + 1)]
    assert attainment(fronts, level).tolist() == [[0.0, float(needed)]]


NOT_POINTS = [np.zeros(2), np.zeros((2, 3)), np.array([[0.0, math.nan]]), np.array([[math.inf, 0]])]


@pytest.mark.unit
@pytest.mark.parametrize("wrong", NOT_POINTS)
def test_what_is_no_front(wrong: np.ndarray) -> None:
    fine = np.zeros((1, 2))
    for call in (
        lambda: hypervolume(wrong),
        lambda: epsilon(wrong, fine),
        lambda: epsilon(fine, wrong),
        lambda: attainment([fine, wrong], 0.5),
        lambda: front(wrong),
        lambda: on_axes(wrong, 1.0),
    ):
        with pytest.raises(InvalidParameterError, match=r"must have shape|must be finite"):
            call()


@pytest.mark.unit
def test_fronts_without_points_are_refused() -> None:
    fine, empty = np.zeros((1, 2)), np.empty((0, 2))
    with pytest.raises(InvalidParameterError, match=r"points and others .*got 0 and 1"):
        epsilon(empty, fine)
    with pytest.raises(InvalidParameterError, match="a point in each"):
        attainment([fine, empty], 0.5)
    with pytest.raises(InvalidParameterError, match="0 replicates"):
        attainment([], 0.5)
    for level in (0.0, 1.01, math.nan):
        with pytest.raises(InvalidParameterError, match="level must"):
            attainment([fine], level)


@pytest.mark.unit
@pytest.mark.parametrize("unit", [0.0, -1.0, math.nan, math.inf])
def test_there_is_no_axis_without_a_unit(unit: float) -> None:
    with pytest.raises(InvalidParameterError, match="must be finite and above 0"):
        on_axes(np.zeros((1, 2)), unit)


FOUND = {5: 0.63, 15: 0.52, 25: 0.50}
"""Hypervolumes of the paper's twelve on our streams; of its authors' results 0.61, 0.52, 0.49."""


@pytest.mark.slow
@pytest.mark.parametrize("delta", FOUND)
def test_the_papers_twelve_on_streams_like_the_papers(delta: int) -> None:
    areas = [twelve(delta, replicate) for replicate in (1, 2, 3)]
    assert np.mean(areas) == pytest.approx(FOUND[delta], abs=0.006)


def twelve(delta: int, replicate: int) -> float:
    """Hypervolume of the front on one stream of 200 partitions and 500 iterations."""
    seed = stream_seed(2024, delta, replicate)
    rates = random_walk.generate(
        partitions=200,
        iterations=500,
        delta=delta,
        capacity=100.0,
        initial_rate=None,
        seed=seed,
        clip=True,
    )
    results = {name: sweep.run(name, rates, 100.0, seed) for name in registry.reference_set()}
    fewest = np.min([result.n_consumers for result in results.values()], axis=0)
    points = [
        (assignment_scores.cbs(result.n_consumers, fewest), float(result.rscore.mean()))
        for result in results.values()
    ]
    return hypervolume(on_axes(np.array(points), float(results["BFD"].rscore.mean())))
