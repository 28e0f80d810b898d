"""Repacking partitions that have migrated: the guarantees of one step of sticky repair."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.assignment.sticky import ledger, polish, recall, refit, risk, workspace
from algorithms.assignment.sticky.free_capacity import COUNT, OWNER
from algorithms.assignment.sticky.state import State
from algorithms.core import sorting
from algorithms.core.arrays import Floats, Ints

pytestmark = pytest.mark.unit

CLOSED = 4
"""A consumer that has no member any more."""

# Consumer 0 could have its 5 back if the 7 left it for consumer 1, the 6 that one for consumer 2,
# and the 5.5 that one for consumer 3, where the 5 is: none of them fits anywhere else.
SPEEDS = np.array([3.0, 2.0, 3.5, 4.5, 5.0, 7.0, 6.0, 5.5])
HOMES = np.array([0, 1, 2, 3, 0, CLOSED, CLOSED, CLOSED], dtype=np.int32)
OWNERS = np.array([0, 1, 2, 3, 3, 0, 1, 2], dtype=np.int32)


class Case(NamedTuple):
    """A state after some assignment, and the working memory of kernels."""

    state: State
    work: workspace.Room

    @property
    def owners(self) -> Ints:
        """Consumer of each partition."""
        owners: Ints = self.state.links[OWNER, : self.state.speeds.size].copy()
        return owners

    def refit(self) -> bool:
        """Run the step."""
        any_moved: bool = refit.run(self.state, self.work)
        return any_moved

    def moved(self) -> float:
        """Migrated bytes."""
        return float(ledger.moved_bytes(self.state, self.owners))


def prepared(speeds: Floats, home: Ints, owners: Ints) -> Case:
    """A state in which partitions are with `owners` and were with `home`; C is 10."""
    n = speeds.size
    state = ledger.create(n, 10.0, np.zeros(risk.TERMS))
    state.speeds[:] = np.where(owners >= 0, speeds, sorting.ABSENT)
    state.home[:] = home
    sorting.descending(state.speeds, state.order, np.empty(n, np.int64))
    ledger.build(state, owners)
    return Case(state, workspace.make(n))


def sums(case: Case) -> Floats:
    """Load of each consumer, added up from its members."""
    present = case.owners >= 0
    return np.bincount(
        case.owners[present], case.state.speeds[present], minlength=case.state.speeds.size
    )


def test_three_make_room_for_one() -> None:
    """A cycle of four, of which only the first saves bytes."""
    case = prepared(SPEEDS, HOMES, OWNERS)
    assert case.refit()
    assert case.owners.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert case.moved() == 7.0 + 6.0 + 5.5


def test_neither_polishing_nor_chains_find_the_cycle() -> None:
    """Otherwise the step would not be worth its time."""
    case = prepared(SPEEDS, HOMES, OWNERS)
    recall.run(case.state)
    polish.run(case.state, polish.PASSES)
    assert case.owners.tolist() == OWNERS.tolist()


def test_a_smaller_one_leaves_for_a_larger_one() -> None:
    """The 5 at home of the 6 leaves, since that migrates less."""
    speeds, home = np.array([5.0, 6.0, 4.0, 3.0]), np.array([0, 0, 1, 2], dtype=np.int32)
    case = prepared(speeds, home, np.array([0, 2, 1, 2], dtype=np.int32))
    assert case.refit()
    assert case.owners[1] == 0
    assert case.moved() == 5.0


def test_no_consumer_is_opened() -> None:
    """Its home is closed, and has to stay so."""
    speeds, home = np.array([6.0, 6.0, 3.0]), np.array([0, 1, 2], dtype=np.int32)
    case = prepared(speeds, home, np.array([0, 1, 0], dtype=np.int32))
    assert not case.refit()
    assert case.owners.tolist() == [0, 1, 0]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """An assignment by first fit in some order, after an unrelated one."""
    n = draw(st.sampled_from([2, 9, 40, 400]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    speeds = rng.choice([0.0, 1.0, 2.5, 5.0], n) if draw(st.booleans()) else rng.random(n) * 10.0
    speeds *= draw(st.sampled_from([0.2, 1.0]))
    speeds[rng.random(n) < 0.05] = 30.0
    home = rng.integers(-1, draw(st.integers(1, n)), n).astype(np.int32)
    owners, loads = np.full(n, -1, dtype=np.int32), np.zeros(n)
    for j in np.flatnonzero(rng.random(n) < 0.95):
        stays = home[j] >= 0 and loads[home[j]] + speeds[j] <= 10.0 and rng.random() < 0.7
        fits = np.flatnonzero(loads + speeds[j] <= 10.0)
        free = np.flatnonzero(loads == 0.0)
        owners[j] = home[j] if stays else (fits if fits.size else free)[0]
        loads[owners[j]] += speeds[j]
    return prepared(speeds, home, owners)


@given(case=cases())
@settings(deadline=None, max_examples=150)
def test_bytes_fall_or_nothing_changes(case: Case) -> None:
    """If no bytes are saved, the assignment is unchanged."""
    check(case)


def check(case: Case) -> None:
    """Refit; no extra or overloaded consumer, no lost partition, and a consistent state."""
    owners, moved, used = case.owners, case.moved(), case.state.marks[ledger.OPEN]
    above = (sums(case) > 10.0 + 1e-9).sum()
    if case.refit():
        assert case.moved() < moved
    else:
        assert case.owners.tolist() == owners.tolist()
    assert ((case.owners >= 0) == (owners >= 0)).all()
    links, loads, marks = case.state.links, case.state.loads, case.state.marks
    counts = np.bincount(case.owners[case.owners >= 0], minlength=case.state.speeds.size)
    assert links[COUNT, : case.state.speeds.size].tolist() == counts.tolist()
    assert marks[ledger.OPEN] == np.count_nonzero(counts) <= used
    np.testing.assert_allclose(loads, sums(case), rtol=0.0, atol=1e-9)
    assert (loads > 10.0 + 1e-9).sum() <= above


def test_more_than_one_problem_holds() -> None:
    """Migrated partitions are packed in parts; those that return home need no failed trials."""
    rng = np.random.default_rng(3)
    n = 6 * workspace.MOVED // 2
    speeds = rng.random(n) * 1.2
    home = np.arange(n, dtype=np.int32) // 8
    case = prepared(speeds, home, np.roll(home, 3))
    before = case.moved()
    check(case)
    assert case.moved() < 0.01 * before
