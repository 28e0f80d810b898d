"""Limits of the work for a bound: one budget that is counted, and no table of many partitions."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csc_array

from algorithms import bounds
from algorithms.assignment import registry
from algorithms.bounds import consumers, kept_speed, rscore, solver
from algorithms.bounds.effort import MOST_COLUMNS, Budget
from algorithms.bounds.kept_problem import kept

pytestmark = pytest.mark.unit

MEGABYTE = 2**20


def of_similar_speeds(partitions: int) -> NDArray[np.float64]:
    """Speeds of which two to six share a consumer: there are more patterns than can be listed."""
    return np.random.default_rng(5).uniform(15.0, 45.0, partitions)


def after_an_iteration(
    seed: int, partitions: int, delta: float = 0.2
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Speeds in units of C, absences included, and the assignment of the iteration before."""
    rng = np.random.default_rng([seed, partitions])
    first = rng.uniform(0.0, 1.0, partitions)
    first[rng.random(partitions) < 0.05] = np.nan
    name = ("BFD", "MWF", "NF")[seed % 3]
    before = registry.get(name).assign(first[np.newaxis], 1.0, 1)[0]
    return np.nan_to_num(first, nan=0.3) + rng.uniform(0.0, delta, partitions), before


def test_a_step_that_is_too_dear_is_left_out() -> None:
    budget = Budget(bounds.effort(1.0))
    whole = budget.left
    assert not budget.takes(whole * 0.8, reserve=0.4)
    assert budget.takes(whole * 0.8)
    assert not budget.takes(whole * 0.3)
    assert budget.left == pytest.approx(whole * 0.2)


@pytest.mark.parametrize("whole", [False, True])
def test_no_program_is_begun_that_the_budget_does_not_allow(
    whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scipy.optimize.milp", None)
    large = csc_array(np.ones((300, 300)))
    program = solver.Program(np.ones(300), large, np.ones(300), np.full(300, np.inf), 1.0)
    budget = Budget(bounds.effort(0.01))
    assert solver.solve(program, budget, whole) == solver.NOTHING
    assert budget.left == bounds.effort(0.01).work


def test_a_linear_program_ends_at_a_number_of_pivots() -> None:
    """The solver that stops there has no values, and is not asked a second time."""
    rows = csc_array((np.random.default_rng(0).random((2_000, 150)) < 0.03) * 1.0)
    program = solver.Program(-np.ones(150), rows, np.full(2_000, -np.inf), np.ones(2_000), 1.0)
    enough = Budget(bounds.effort(10.0))
    assert solver.solve(program, enough, whole=False).complete
    scarce = Budget(bounds.effort(10.0))
    scarce.left = solver.cost(program, whole=False)
    assert solver.solve(program, scarce, whole=False) == solver.NOTHING


@pytest.mark.parametrize("partitions", [60, 400])
def test_the_programs_of_a_bound_are_paid_from_one_budget(
    partitions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds grow dearer with the patterns found: all are charged, by size, before they begin."""
    limits = bounds.effort(0.1)
    paid = []
    solve = solver._call

    def counted(program: solver.Program, options: dict[str, object], whole: bool) -> object:
        paid.append(solver.cost(program, whole))
        return solve(program, options, whole)

    monkeypatch.setattr(solver, "_call", counted)
    bound = bounds.fewest_consumers(of_similar_speeds(partitions), 100.0, limits)
    assert bound.lower <= bound.upper
    # A call that is refused for its threads is made twice.
    assert sum(paid) <= 2 * limits.work


def test_patterns_are_so_many_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found then is valid all the same."""
    monkeypatch.setattr(consumers, "MOST_COLUMNS", 80)
    monkeypatch.setattr(kept_speed, "MOST_COLUMNS", 80)
    speeds = of_similar_speeds(60)
    bound = bounds.fewest_consumers(speeds, 100.0, bounds.effort(0.05))
    assert bounds.l2(speeds, 100.0) <= bound.lower <= bound.upper
    now, before = after_an_iteration(2, 60)
    least = bounds.least_rscore(now, 1.0, before, 60, bounds.effort(0.05))
    assert 0.0 <= least.lower <= least.upper
    assert bounds.effort(3600.0).columns == MOST_COLUMNS


@pytest.mark.parametrize("partitions", [1, 2, 9, 32, 80])
@pytest.mark.parametrize("seed", range(4))
def test_consumers_by_themselves_keep_what_tables_of_all_partitions_say(
    partitions: int, seed: int
) -> None:
    """To the bit: members alone have value where nothing has a price."""
    now, before = after_an_iteration(seed, partitions)
    problem = kept(now, 1.0, before, max(1, partitions // 2 - seed))
    expected = 0.0
    if problem.sizes.size and problem.n_homes:
        free = np.zeros(problem.sizes.size)
        values, _ = kept_speed._Pricing(problem).best(free)
        expected = kept_speed._bound(values, free, problem.room)[0]
    assert kept_speed.most(problem) == expected


def test_ten_thousand_partitions_need_no_table_of_them_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A matrix of their consumers and partitions alone would be 400 megabytes."""
    now, before = after_an_iteration(0, 10_000, 0.1)
    assignment = registry.get("BFD").assign(now[np.newaxis], 1.0, 1)[0]
    arguments = (now, 1.0, before, 10_000, bounds.effort(0.01), assignment)
    bounds.least_rscore(*arguments)  # compiles what it needs

    def no_model(*_: object) -> None:
        raise AssertionError("a table of all partitions and their consumers")

    monkeypatch.setattr(kept_speed, "_Pricing", no_model)
    monkeypatch.setattr("algorithms.bounds.kept_problem.Kept.at_home", property(no_model))
    tracemalloc.start()
    bound = bounds.least_rscore(*arguments)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * MEGABYTE
    assert 0.0 < bound.lower < bound.upper
    assert (bound.method, rscore.MOST) == ("retention", 400)
