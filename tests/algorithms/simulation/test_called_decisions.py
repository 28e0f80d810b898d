"""Strategies behind addresses: one loop for all of them, and nothing of a strategy gets lost."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import pytest

from algorithms.autoscaling import Group, Seen, Strategy
from algorithms.autoscaling.dispatch import decides
from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.compiled import allocating_unkept
from algorithms.simulation import decision_loop
from algorithms.simulation.group_simulation import simulate
from tests.algorithms.autoscaling import cases

pytestmark = pytest.mark.unit

RATES = np.full((300, 3), 20.0)
GROUP = cases.GROUP._replace(partitions=3, mu=1.0, wsla_s=1.0, rebalance_s=0.0, max_replicas=2)


class Inner(NamedTuple):
    """A state within a state."""

    flag: bool
    scale: float
    table: Floats


class Wide(NamedTuple):
    """More than the memory that is tried first: ten arrays, and values of several kinds."""

    partitions: int
    early: bool
    a: Floats
    b: Floats
    c: Floats
    d: Floats
    e: Longs
    f: Longs
    g: Bools
    inner: Inner
    fails: bool
    seen: Floats
    count: int


STARTED: list[Wide] = []


def start(group: Group, *, fails: bool) -> Wide:
    arrays = [np.full(2, float(i)) for i in range(4)]
    longs = [np.full(3, i) for i in range(2)]
    wide = Wide(
        group.partitions,
        True,
        *arrays,
        *longs,
        np.array([True, False]),
        Inner(False, 2.5, np.array([[1.0, 2.0], [3.0, 4.0]])),
        fails,
        np.zeros(8),
        2,
    )
    STARTED.append(wide)
    return wide


@decides(Wide)
@allocating_unkept
def _decide(state: Wide, seen: Seen, after: Longs) -> tuple[int, int]:
    if state.fails:
        raise ValueError("no decision")
    values = np.array([state.a[1], state.b[1], state.c[1], state.d[1], state.inner.table[1, 0]])
    state.seen[0] = values.sum()
    state.seen[1] = state.e[2] + state.f[2]
    state.seen[2] = state.inner.scale
    state.seen[3] = 1.0 if state.early and state.g[0] and not state.g[1] else 0.0
    state.seen[4] = 1.0 if state.inner.flag or state.fails else 0.0
    state.seen[5] += 1.0
    return state.count, 0


def wide(fails: bool) -> Strategy:
    return Strategy(
        name="wide",
        title="a large state",
        family="counting",
        paper="none",
        module=__name__,
        settings=(("fails", fails),),
    )


def test_strategies_share_one_compiled_loop() -> None:
    """Compiling it takes far longer than a decision."""
    simulate(RATES, "constant")
    compiled = len(decision_loop._run.signatures)
    simulate(RATES, "linear")
    simulate(RATES, wide(False))
    assert len(decision_loop._run.signatures) == compiled


def test_a_large_state_reaches_its_decision_whole() -> None:
    """Numbers, flags, arrays and a state within it, by address and back."""
    result = simulate(RATES, wide(False))
    assert result.replicas[-1] == 2
    assert STARTED[-1].seen[:5].tolist() == [9.0, 1.0, 2.5, 1.0, 0.0]


def test_arrays_of_a_state_are_freed_with_it() -> None:
    """References that a decision counts are given back."""
    simulate(RATES, wide(False))
    state = STARTED[-1]
    counts = [sys.getrefcount(each) for each in (state.a, state.seen, state.inner.table)]
    fresh = start(GROUP, fails=False)
    assert counts == [sys.getrefcount(each) for each in (fresh.a, fresh.seen, fresh.inner.table)]


def test_an_error_of_a_decision_is_raised() -> None:
    """It passes through the loop, as if the loop had called the decision by name."""
    with pytest.raises(ValueError, match="no decision"):
        simulate(RATES, wide(True))
