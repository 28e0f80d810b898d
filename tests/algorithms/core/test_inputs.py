"""Arguments that no assignment can be computed for are refused, by name and by value."""

import math
from typing import Any

import numpy as np
import pytest

from algorithms import bounds
from algorithms.assignment import registry
from algorithms.core import input_errors
from algorithms.scores import assignment_scores, latency_model
from algorithms.workloads import random_walk
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit

EVERY = (*registry.names(), "kd_1")
AHEAD = ("BFD+M+P", "SR_0.5", "SR_1", "SR_inf")
FINE = np.array([[1.0, 2.0], [3.0, math.nan]])


def refused(name: str, rates: Any, capacity: Any, seed: Any) -> str:
    """Return the message with which an assignment is refused."""
    with pytest.raises(input_errors.InvalidParameterError) as caught:
        registry.get(name).assign(rates, capacity, seed)
    return str(caught.value)


@pytest.mark.parametrize("value", [-1.0, -1e-300, math.inf, -math.inf])
@pytest.mark.parametrize("name", EVERY)
def test_rates_are_finite_and_not_negative(name: str, value: float) -> None:
    """The message says where, counting iterations from 1 as the tables do."""
    rates = FINE.copy()
    rates[1, 0] = value
    message = refused(name, rates, 10.0, 0)
    assert "rates[1, 0]" in message
    assert "iteration 2" in message
    assert str(value) in message


@pytest.mark.parametrize("name", EVERY)
def test_rates_are_a_matrix_of_floats(name: str) -> None:
    """Other types and shapes would be compiled for, or misread."""
    assert "float32" in refused(name, FINE.astype(np.float32), 10.0, 0)
    assert "int64" in refused(name, np.ones((2, 2), dtype=np.int64), 10.0, 0)
    assert "list" in refused(name, [[1.0]], 10.0, 0)
    for shape in ((3,), (1, 2, 3), (0, 3), (3, 0)):
        assert str(shape) in refused(name, np.ones(shape), 10.0, 0)


@pytest.mark.parametrize("capacity", [0.0, -1.0, math.nan, math.inf, 9e-291, 1.1e290])
@pytest.mark.parametrize("name", [*EVERY, *AHEAD])
def test_capacity_is_within_what_can_be_calculated_with(name: str, capacity: float) -> None:
    """Also for static assignments, which do not need it: an input is right or wrong."""
    message = refused(name, FINE, capacity, 0)
    assert f"capacity must be between 1e-290 and 1e+290 bytes/s (got {capacity})" in message


def test_capacity_is_refused_wherever_it_is_asked_for() -> None:
    """Past either end, numbers would overflow in between, and bounds be proved wrongly."""
    held = np.array([[0, 1], [0, -1]], dtype=np.int32)
    effort = bounds.effort(1.0)
    for capacity in (9e-291, 1.1e290):
        for asked in (
            lambda c: bounds.l2(FINE[0], c),
            lambda c: bounds.fewest_consumers(FINE[0], c, effort),
            lambda c: bounds.least_rscore(FINE[0], c, held[0], 2, effort),
            lambda c: assignment_scores.rscore(FINE, held, c),
            lambda c: assignment_scores.audit(FINE, held, c),
            lambda c: random_walk.generate(2, 2, 5.0, c, None, 1),
            lambda c: latency_model.summarise(FINE, held, c),
        ):
            with pytest.raises(
                input_errors.InvalidParameterError, match=r"capacity must .*got .*e[-+]29"
            ):
                asked(capacity)


@pytest.mark.parametrize("unit", [2.0**-970, 2.0**956])
@pytest.mark.parametrize("name", [*EVERY, *AHEAD])
def test_the_least_and_the_greatest_capacity_give_the_same_assignment(
    name: str, unit: float
) -> None:
    """A power of two is exact, so every bit of the speeds is the same."""
    assert 1e-290 <= 100.0 * unit <= 2e-290 or 5e289 <= 100.0 * unit <= 1e290
    for kind in ("walk", "absences"):
        rates, capacity = cases.draw(kind, (12, 33), 3)
        plain = cases.run(name, rates, capacity, 3)
        assignment = cases.run(name, rates * unit, capacity * unit, 3)
        assert np.array_equal(assignment, plain)
        scores = assignment_scores.rscore(rates * unit, assignment, capacity * unit)
        assert scores.tolist() == assignment_scores.rscore(rates, plain, capacity).tolist()


@pytest.mark.parametrize("unit", [2.0**-970, 2.0**956])
def test_the_least_and_the_greatest_capacity_have_the_same_bounds(unit: float) -> None:
    """Grids of units are made by dividing by the capacity, which may not overflow."""
    rates, capacity = cases.draw("walk", (2, 12), 3)
    held = cases.run("BFD", rates, capacity, 3)
    used = int(assignment_scores.n_consumers(held)[1])
    effort = bounds.effort(5.0)
    intervals = [
        (
            bounds.l2(speeds[1], c),
            bounds.fewest_consumers(speeds[1], c, effort)[:3],
            bounds.least_rscore(speeds[1], c, held[0], used, effort, held[1])[:3],
        )
        for speeds, c in ((rates, capacity), (rates * unit, capacity * unit))
    ]
    assert intervals[0][1][0] == intervals[0][1][1]
    assert intervals[1] == intervals[0]


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, True, None])
@pytest.mark.parametrize("name", EVERY)
def test_seed_is_what_a_table_can_hold(name: str, seed: object) -> None:
    """Also for algorithms that do not use it."""
    assert f"(got {seed})" in refused(name, FINE, 10.0, seed)


@pytest.mark.parametrize("name", EVERY)
def test_the_layout_in_memory_does_not_matter(name: str) -> None:
    """Transposed, strided and read-only arrays hold the same stream."""
    rates, capacity = cases.draw("absences", (8, 5), 1)
    plain = cases.run(name, rates, capacity, 1)
    wide = np.repeat(rates, 2, axis=1)
    locked = rates.copy()
    locked.flags.writeable = False
    for same in (np.asfortranarray(rates), wide[:, ::2], locked):
        assert np.array_equal(cases.run(name, same, capacity, 1), plain)


def test_metrics_refuse_arrays_of_different_streams() -> None:
    """One row or partition too few would silently shift everything."""
    consumers = np.array([[0, 1], [0, -1]], dtype=np.int32)
    short = np.ones((1, 2))
    with pytest.raises(input_errors.InvalidParameterError, match=r"\(2, 2\).*\(1, 2\)"):
        assignment_scores.rscore(short, consumers, 10.0)
    with pytest.raises(input_errors.InvalidParameterError, match=r"\(2, 2\).*\(1, 2\)"):
        assignment_scores.audit(short, consumers, 10.0)
    with pytest.raises(input_errors.InvalidParameterError, match="int64"):
        assignment_scores.n_consumers(consumers.astype(np.int64))
    with pytest.raises(input_errors.InvalidParameterError, match="capacity"):
        assignment_scores.rscore(FINE, consumers, 0.0)


@pytest.mark.parametrize(
    ("z", "minimum"),
    [([1, 2], [1]), ([], []), ([1], [0]), ([-1], [1]), ([1], [-1]), ([[1]], [[1]])],
)
def test_cbs_refuses_what_has_no_ratio(z: list[int], minimum: list[int]) -> None:
    """Different lengths, nothing at all, or consumers where the minimum has none."""
    with pytest.raises(input_errors.InvalidParameterError, match="minimum"):
        assignment_scores.cbs(np.array(z, dtype=np.int32), np.array(minimum, dtype=np.int32))
