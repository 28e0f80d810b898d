"""Next, first, best and worst fit, in shuffled order or largest partition first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.assignment import fit_rules, open_consumers, post_passes
from algorithms.assignment.post_passes import Passes
from algorithms.assignment.stepping import makes_steps
from algorithms.core import shuffle, sorting
from algorithms.core.arrays import Floats, Ints, Longs, check_count
from algorithms.core.compiled import kernel


class AnyFit(NamedTuple):
    """State of an any-fit algorithm over P partitions."""

    before: Ints
    """int32[P]: consumers after the last step, -1 = absent."""
    iteration: Longs
    """int64[1]: steps made so far; the shuffled order depends on it."""
    loads: Floats
    bits: Longs
    marks: Longs
    lookup: Ints | None
    """`loads`, `bits`, `marks`, `lookup`: open consumers; see
    `algorithms.assignment.open_consumers`, where `lookup` is the index."""
    keys: Floats
    order: Longs
    spare: Longs
    """`keys`, `order`, `spare`: float64[P], int64[P], int64[P]: speeds of this step, the order of
    placement, and scratch space for sorting."""
    passes: Passes | None
    """Passes applied to each assignment before the next step."""
    rule: int
    decreasing: bool
    from_zero: bool
    capacity: float
    seed: int
    """`rule`, `decreasing`, `from_zero`, `capacity`, `seed`: the arguments of `start`."""


def start(
    partitions: int,
    capacity: float,
    seed: int,
    *,
    rule: int,
    decreasing: bool,
    from_zero: bool = False,
    matched: bool = False,
    polished: bool = False,
    indexed: bool | None = None,
) -> AnyFit:
    """Start NF, FF, BF or WF, or NFD, FFD, BFD or WFD.

    Each step starts with no open consumers and places the present partitions one by one. The rule
    selects an open consumer for each partition. If a partition fits nowhere, a consumer is opened:
    the one that held it after the last step, unless that is open already; else the lowest id that
    is not open.

    capacity: Packing capacity C of a consumer, bytes/s.
    seed: Seed of the stream; the shuffled order depends on it. Not used if `decreasing`.
    rule: ``fit_rules.NEXT``, ``fit_rules.FIRST``, ``fit_rules.BEST`` or ``fit_rules.WORST``.
    decreasing: Whether partitions are taken largest first, ties by index, instead of in the order
        of `algorithms.core.shuffle.permutation`.
    from_zero: Whether each step starts with consumer 0 open and empty, so that the first partition
        goes there, whatever its speed and its last consumer.
    matched, polished: Whether each assignment is relabelled, and polished, before the next step;
        see `algorithms.assignment.post_passes`.
    indexed: Whether consumers are found by an index instead of a scan. An index is faster for many
        consumers. By default P decides. The result is the same.

    A partition fits if ``load + speed <= C``; loads are added up in the order of placement. Ties in
    load go to the lowest id. A step takes O(P log P) time and a state O(P) memory. For few
    partitions, a scan over the B consumers in use replaces the index: O(P (log P + B)). Next fit
    checks only one consumer. Opening rule: Eq. 12-14 of `algorithms.assignment.algorithm.PAPER`.

    Largest first, 6 and 5 get a consumer each; best fit adds 4 to the 6. In the second iteration 9
    keeps its consumer, and 4 opens the other one.

    >>> from algorithms.assignment import registry
    >>> rates = np.array([[4.0, 6.0, 5.0], [4.0, 2.0, 9.0]])
    >>> registry.get("BFD").assign(rates, 10.0, 0).tolist()
    [[0, 0, 1], [0, 0, 1]]
    """
    rule = check_count("rule", rule, fit_rules.NEXT, fit_rules.WORST)
    index = open_consumers.make_index(rule, partitions, indexed)
    loads, bits, marks = open_consumers.create(partitions, index)
    return AnyFit(
        before=np.full(partitions, open_consumers.NOWHERE, dtype=np.int32),
        iteration=np.zeros(1, np.int64),
        loads=loads,
        bits=bits,
        marks=marks,
        lookup=index,
        keys=np.empty(partitions),
        order=np.empty(partitions, np.int64),
        spare=np.empty(partitions, np.int64),
        passes=post_passes.make(partitions, capacity, matched, polished),
        rule=rule,
        decreasing=bool(decreasing),
        from_zero=bool(from_zero),
        capacity=capacity,
        seed=seed,
    )


@makes_steps(AnyFit)
@kernel
def _step(state: AnyFit, rates: Floats, after: Ints) -> None:
    open_consumers.read_speeds(rates, state.keys, after)
    if state.decreasing:
        sorting.descending(state.keys, state.order, state.spare)
    else:
        shuffle.shuffle(state.order, state.seed, state.iteration[0])
    state.iteration[0] += 1
    # Values that may be None are arguments: only then does Numba compile a version for None.
    _place(state, state.lookup, after)
    post_passes.finish(state.passes, state.keys, state.before, after)


@kernel
def _place(state: AnyFit, lookup: Ints | None, after: Ints) -> None:
    loads, marks = state.loads, state.marks
    open_consumers.close_all(state.rule, loads, marks, lookup)
    if state.from_zero:
        for j in state.order:
            if after[j] == open_consumers.PENDING:
                open_consumers.open_with(state.rule, loads, marks, lookup, 0, state.keys[j])
                after[j] = 0
                break
    open_consumers.place_all(
        state.rule,
        loads,
        state.bits,
        marks,
        lookup,
        state.keys,
        state.order,
        state.before,
        state.capacity,
        after,
    )
