"""Bounds: exact values by brute force and a second solver, and intervals that are always true."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csc_array

from algorithms import bounds
from algorithms.assignment import registry
from algorithms.bounds import consumers, rscore, solver
from algorithms.bounds.effort import Budget
from algorithms.core.input_errors import InvalidParameterError
from algorithms.scores import assignment_scores
from tests.algorithms.scores import exact

pytestmark = pytest.mark.unit

EFFORT = bounds.effort(5.0)
ALGORITHMS = ("BFD", "MBF", "MWF")
ONE = csc_array(np.ones((1, 1)))
SPEEDS = st.lists(st.integers(0, 14), min_size=1, max_size=6)


def row(speeds: list[int]) -> NDArray[np.float64]:
    return np.array(speeds, dtype=np.float64)


def of_whole_numbers(seed: int, partitions: int, delta: int = 15) -> NDArray[np.float64]:
    """Two iterations of speeds in whole percent of a capacity of 100."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 101, partitions)
    second = np.clip(first + rng.integers(-delta, delta + 1, partitions), 0, 100)
    return np.array([first, second], dtype=np.float64)


def used(assignment: NDArray[np.int32]) -> int:
    return int(np.unique(assignment[assignment >= 0]).size)


@given(SPEEDS)
def test_fewest_consumers_are_those_of_brute_force(speeds: list[int]) -> None:
    """Sizes above the capacity of 10 and of 0 are among them."""
    bound = bounds.fewest_consumers(row(speeds), 10.0, EFFORT)
    assert bound.proved
    # Without speed nothing groups with a partition above C but what has none.
    assert bound.upper == exact.brute_force_consumers(speeds, 10.0)


@given(st.lists(st.integers(0, 14), min_size=1, max_size=5), st.data())
def test_least_rscores_are_those_of_brute_force(speeds: list[int], data: st.DataObject) -> None:
    """Any assignment before, also one that is not valid; arrivals; any number of consumers."""
    n = len(speeds)
    owners = st.one_of(st.none(), st.integers(0, n - 1))
    before = data.draw(st.lists(owners, min_size=n, max_size=n))
    allowed = data.draw(st.integers(0, n))
    ids = np.array([-1 if c is None else c for c in before], dtype=np.int32)
    bound = bounds.least_rscore(row(speeds), 10.0, ids, allowed, EFFORT)
    expected = exact.brute_force_rscore(speeds, 10.0, before, allowed)
    if expected is None:
        assert (bound.lower, bound.method) == (math.inf, "infeasible")
        assert bound.assignment is None
    else:
        assert bound.proved
        assert bound.upper == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_two_solvers_agree_on_consumers(seed: int) -> None:
    speeds = of_whole_numbers(seed, 15)[1]
    bound = bounds.fewest_consumers(speeds, 100.0, EFFORT)
    sizes = [int(s) for s in speeds if s > 0]
    assert bound.proved
    assert bound.upper == exact.cp_sat_consumers(sizes, 100, int(bound.upper) + 1)
    assert exact.cp_sat_consumers(sizes, 100, int(bound.upper) - 1) is None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ALGORITHMS)
def test_two_solvers_agree_on_rscores(seed: int, name: str) -> None:
    rates = of_whole_numbers(seed, 12)
    assigned = registry.get(name).assign(rates, 100.0, 1)
    allowed = used(assigned[1])
    bound = bounds.least_rscore(rates[1], 100.0, assigned[0], allowed, EFFORT, assigned[1])
    sizes = [int(s) for s in rates[1]]
    moved = exact.cp_sat_moved(sizes, 100, assigned[0].tolist(), allowed)
    assert moved is not None
    assert bound.proved
    assert bound.upper == pytest.approx(moved / 100, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("partitions", [1, 7, 32, 60])
@pytest.mark.parametrize("seconds", [0.01, 0.2])
def test_intervals_hold_what_assignments_show(seed: int, partitions: int, seconds: float) -> None:
    """Real speeds, absences and outgrown partitions, with next to no effort as well."""
    rng = np.random.default_rng([seed, partitions])
    rates = rng.uniform(0.0, 1.2, (2, partitions)) ** 2
    rates[rng.random(rates.shape) < 0.1] = np.nan
    effort = bounds.effort(seconds)
    fewest = bounds.fewest_consumers(rates[1], 1.0, effort)
    check(rates, None, fewest)
    assert bounds.l2(rates[1], 1.0) <= fewest.lower <= fewest.upper
    assert float(fewest.lower).is_integer()
    for name in registry.reference_set():
        assigned = registry.get(name).assign(rates, 1.0, 5)
        own = assignment_scores.rscore(rates, assigned, 1.0)[1]
        assert fewest.lower <= used(assigned[1])
        bound = bounds.least_rscore(
            rates[1], 1.0, assigned[0], used(assigned[1]), effort, assigned[1]
        )
        assert 0.0 <= bound.lower <= bound.upper <= own
        check(rates, assigned[0], bound)


def check(
    rates: NDArray[np.float64], before: NDArray[np.int32] | None, bound: bounds.Bound
) -> None:
    """An upper bound comes with an assignment that is valid and has it."""
    assert bound.assignment is not None
    assert assignment_scores.audit(rates[1:], bound.assignment[np.newaxis], 1.0) == (0, 0, 0, 0)
    if before is None:
        assert used(bound.assignment) == bound.upper
    else:
        both = np.stack([before, bound.assignment])
        now = np.stack([rates[1], rates[1]])
        assert assignment_scores.rscore(now, both, 1.0)[1] == bound.upper


@pytest.mark.parametrize("seed", range(3))
def test_the_same_problem_has_the_same_bound(seed: int) -> None:
    rates = of_whole_numbers(seed, 40)
    assigned = registry.get("MBF").assign(rates, 100.0, 1)
    arguments = (rates[1], 100.0, assigned[0], used(assigned[1]), bounds.effort(0.5))
    first, second = (bounds.least_rscore(*arguments) for _ in range(2))
    assert first[:3] == second[:3]
    assert np.array_equal(first.assignment, second.assignment)


@pytest.mark.parametrize("failing", ["nothing", "missing", "raises", "nonsense", "not a number"])
def test_a_solver_that_fails_leaves_a_gap(failing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the solver fails, the interval still holds the optimum, and nothing false is proved."""
    rates = of_whole_numbers(3, 24)
    assigned = registry.get("BFD").assign(rates, 100.0, 1)
    arguments = (rates[1], 100.0, assigned[0], used(assigned[1]), EFFORT, assigned[1])
    right = bounds.least_rscore(*arguments)
    hard = np.array([44.0, 44.0, 40.0, 40.0, 36.0, 36.0, 33.0, 33.0, 27.0, 27.0, 20.0, 20.0] * 2)
    fewest = bounds.fewest_consumers(hard, 100.0, EFFORT)
    assert bounds.l2(hard, 100.0) < used(registry.get("BFD").assign(hard[None], 100.0, 0)[0])

    def milp(costs: NDArray[np.float64], **_: object) -> object:
        if failing == "raises":
            raise RuntimeError("out of memory")
        if failing == "nothing":
            return None
        values = np.full(costs.size, math.nan if failing == "not a number" else 1e9)
        return type("Result", (), {"x": values, "status": 1, "fun": -1e9, "mip_dual_bound": None})

    if failing == "missing":
        monkeypatch.setitem(__import__("sys").modules, "scipy.optimize", None)
    else:
        monkeypatch.setattr("scipy.optimize.milp", milp)
    bound = bounds.least_rscore(*arguments)
    assert bound.lower <= right.lower
    assert bound.upper >= right.upper
    assert not bound.proved or bound.upper == right.upper
    less = bounds.fewest_consumers(hard, 100.0, EFFORT)
    assert less.lower <= fewest.lower <= less.upper
    assert less.upper >= fewest.upper


def test_a_solver_of_another_mind_about_threads_is_asked_again() -> None:
    """HiGHS refuses a number of threads other than the process's; then it is left to it."""
    from scipy.optimize import linprog

    assert linprog([1.0], A_ub=[[-1.0]], b_ub=[-1.0]).status == 0
    program = solver.Program(np.ones(1), ONE, np.ones(1), np.full(1, np.inf), 5.0)
    solution = solver.solve(program, Budget(EFFORT), whole=True)
    assert solution.values is not None
    assert solution.values.tolist() == [1.0]
    assert (solution.least, solution.complete) == (1.0, True)


def test_a_program_without_a_solution_is_known_as_such() -> None:
    program = solver.Program(np.ones(1), ONE, np.full(1, 2.0), np.full(1, 3.0), 1.0)
    assert solver.solve(program, Budget(EFFORT), whole=True) == solver.SolverResult(
        None, math.inf, True
    )


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, math.inf])
def test_time_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(InvalidParameterError, match="must be finite and above 0"):
        bounds.effort(seconds)


@pytest.mark.slow
def test_many_partitions_have_bounds_without_a_model() -> None:
    rng = np.random.default_rng(1)
    speeds = rng.uniform(0.0, 1.0, consumers.MOST + 1)
    bound = bounds.fewest_consumers(speeds, 1.0, EFFORT)
    assert bound.method == "l2"
    assert bound.lower == bounds.l2(speeds, 1.0)
    assigned = registry.get("BFD").assign(np.stack([speeds, speeds[::-1]]), 1.0, 0)
    least = bounds.least_rscore(
        speeds[::-1].copy(), 1.0, assigned[0], used(assigned[1]), EFFORT, assigned[1]
    )
    assert speeds.size > rscore.MOST
    assert least.method == "retention"


@pytest.mark.parametrize(
    ("speeds", "expected"),
    [
        ([math.nan, math.nan], 0),
        ([0.0, 0.0], 1),
        ([12.0, 0.0], 2),  # a partition above C is alone
        ([12.0, 11.0, 3.0, 0.0], 3),
        ([10.0, 0.0], 1),
        ([6.0, 6.0, 6.0, 4.0, 4.0], 3),
    ],
)
def test_cases_counted_on_paper(speeds: list[float], expected: int) -> None:
    bound = bounds.fewest_consumers(np.array(speeds), 10.0, EFFORT)
    assert (bound.lower, bound.upper) == (expected, expected)
    assert bounds.l2(np.array(speeds), 10.0) == expected


def test_tenths_that_fill_a_consumer_exactly_are_not_split() -> None:
    """0.1 + 0.2 + 0.7 is above 1 in doubles, by less than the tolerance of the audit."""
    bound = bounds.fewest_consumers(np.array([0.1, 0.2, 0.7] * 3), 1.0, EFFORT)
    assert bound.lower == 3


@pytest.mark.parametrize(("iterations", "count"), [(2, 1), (500, 10), (7, 6), (7, 99), (100, 99)])
def test_samples_are_spread_over_all_but_the_first(iterations: int, count: int) -> None:
    samples = np.array(bounds.sampled(iterations, count))
    assert samples.size == min(count, iterations - 1)
    assert samples.min() >= 2
    assert samples.max() <= iterations
    steps = np.diff(samples)
    assert steps.size == 0 or steps.max() - steps.min() <= 1
    assert steps.size == 0 or steps.min() >= 1
