"""Passes after an iteration: they never cost bytes, consumers or validity."""

import numpy as np
import pytest
from hypothesis import given

from algorithms.assignment import post_passes, registry
from algorithms.core import sorting
from algorithms.scores import assignment_scores
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit

SUFFIXES = ("+M", "+P", "+M+P")
EVERY = tuple(
    name + suffix
    for name in registry.names()
    if registry.get(name).takes_passes
    for suffix in SUFFIXES
)
CHOICES = [(True, False), (False, True), (True, True)]


def two_steps(
    name: str, rates: cases.Rates, capacity: float, seed: int
) -> tuple[cases.Consumers, cases.Consumers]:
    """Assignments of an algorithm alone: every iteration, and the ones before them."""
    consumers = cases.run(name, rates, capacity, seed)
    return consumers[:-1], consumers[1:]


def finished(
    row: cases.Rates,
    before: cases.Consumers,
    after: cases.Consumers,
    capacity: float,
    matched: bool,
    polished: bool,
) -> cases.Consumers:
    """One assignment after the passes, given the one before it."""
    work = post_passes.make(row.shape[0], capacity, matched, polished)
    assert work is not None
    keys = np.where(np.isnan(row), sorting.ABSENT, row)
    result = after.copy()
    post_passes.finish(work, keys, before.copy(), result)
    return result


def check(
    row: cases.Rates,
    before: cases.Consumers,
    after: cases.Consumers,
    capacity: float,
    matched: bool,
    polished: bool,
) -> None:
    """One assignment may not become worse in any way."""
    result = finished(row, before, after, capacity, matched, polished)
    both = np.stack([before, after])
    speeds = np.stack([np.zeros_like(row), row])
    new = np.stack([before, result])
    assert (
        assignment_scores.rscore(speeds, new, capacity)[1]
        <= assignment_scores.rscore(speeds, both, capacity)[1]
    )
    assert assignment_scores.n_consumers(new)[1] <= assignment_scores.n_consumers(both)[1]
    assert not any(assignment_scores.audit(row[None], result[None], capacity))
    assert set(result[result >= 0].tolist()) <= set(range(len(row)))


@pytest.mark.slow
@pytest.mark.parametrize(("matched", "polished"), CHOICES)
@pytest.mark.parametrize("kind", cases.KINDS)
def test_nothing_gets_worse_on_seeded_streams(kind: str, matched: bool, polished: bool) -> None:
    """For any assignment of the algorithm, step by step."""
    for name in ("NF", "BFD", "WFD", "MWF"):
        for rates, capacity, seed in cases.streams_of(kind):
            before, after = two_steps(name, rates, capacity, seed)
            for k in range(len(after)):
                check(rates[k + 1], before[k], after[k], capacity, matched, polished)


@pytest.mark.parametrize(("matched", "polished"), CHOICES)
@given(stream=cases.streams())
def test_nothing_gets_worse_on_any_stream(
    matched: bool, polished: bool, stream: tuple[cases.Rates, float, int]
) -> None:
    """Hypothesis looks for a step that does."""
    rates, capacity, seed = stream
    before, after = two_steps("WFD", rates, capacity, seed)
    for k in range(len(after)):
        check(rates[k + 1], before[k], after[k], capacity, matched, polished)


@pytest.mark.parametrize("name", EVERY)
def test_assignments_are_valid(name: str) -> None:
    """Inside the loop, where the next iteration builds on what the passes made."""
    for rates, capacity, seed in cases.all_streams():
        assert not any(
            assignment_scores.audit(rates, cases.run(name, rates, capacity, seed), capacity)
        )


@pytest.mark.parametrize("name", ["BFD", "FFD", "WFD", "NFD"])
def test_passes_lower_the_rscore_at_the_same_consumers(name: str) -> None:
    """What they are for, at the size of the paper; these algorithms pack without a memory."""
    rates, capacity = cases.draw("walk", (60, 200), 3)
    rscores, used = {}, {}
    for suffix in ("", *SUFFIXES):
        consumers = cases.run(name + suffix, rates, capacity, 3)
        rscores[suffix] = assignment_scores.rscore(rates, consumers, capacity).mean()
        used[suffix] = assignment_scores.n_consumers(consumers).mean()
    # First and next fit look at ids or opening order, which passes change: the same in the mean.
    assert all(count <= used[""] * 1.01 for count in used.values())
    assert rscores["+M+P"] < rscores["+P"] * 1.02
    assert rscores["+P"] < rscores["+M"] < rscores[""]


def test_what_is_fed_back_is_the_finished_assignment() -> None:
    """With names matched in the loop a swap is undone once, not at every other iteration."""
    rates, capacity = cases.draw("walk", (40, 60), 5)
    consumers = cases.run("BFD+M", rates, capacity, 5)
    plain = cases.run("BFD", rates, capacity, 5)
    assert not np.array_equal(consumers, plain)
    for k in range(1, 40):
        again = finished(rates[k], consumers[k - 1], consumers[k], capacity, True, False)
        assert np.array_equal(again, consumers[k])


ROW = np.array([6.0, 3.0, 5.0, 4.0])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # It fits at home, and its consumer closes.
        ([0, 0, 1, 1], [0, 2, 1, 1], [0, 0, 1, 1]),
        # 6 and 5 change places: each is at home then.
        ([0, 0, 1, 1], [1, 0, 0, 1], [0, 0, 1, 1]),
        # Nothing is to be gained.
        ([0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]),
    ],
)
def test_partitions_sent_home(before: list[int], after: list[int], expected: list[int]) -> None:
    """Counted on paper, capacity 10."""
    old, new = np.array(before, np.int32), np.array(after, np.int32)
    assert finished(ROW, old, new, 10.0, False, True).tolist() == expected


def test_a_smaller_one_is_pushed_out() -> None:
    """7 comes home to 0, from where 2 goes to the consumer with the least room for it."""
    row = np.array([7.0, 2.0, 4.0, 6.0, 5.0])
    before = np.array([0, 0, 1, 2, 3], np.int32)
    after = np.array([1, 0, 0, 2, 3], np.int32)
    result = finished(row, before, after, 9.0, False, True)
    assert result[0] == 0
    speeds = np.stack([np.zeros(5), row])
    moved = assignment_scores.rscore(speeds, np.stack([before, result]), 9.0)[1] * 9.0
    assert moved < 11.0


def test_no_pass_needs_no_room() -> None:
    """None is what kernels without passes are compiled for."""
    assert post_passes.make(5, 10.0, False, False) is None
