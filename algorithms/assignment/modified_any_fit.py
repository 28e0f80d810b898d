"""Modified any fit: repack last iteration's consumers one by one, moving as little as possible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.assignment import fit_rules, open_consumers, post_passes
from algorithms.assignment.post_passes import Passes
from algorithms.assignment.stepping import makes_steps
from algorithms.core import sorting
from algorithms.core.arrays import Floats, Ints, Longs, check_count
from algorithms.core.compiled import kernel


class ModifiedAnyFit(NamedTuple):
    """State of a modified any-fit algorithm over P partitions."""

    before: Ints
    """int32[P]: consumers after the last step, -1 = absent."""
    loads: Floats
    bits: Longs
    marks: Longs
    lookup: Ints | None
    """`loads`, `bits`, `marks`, `lookup`: open consumers; see
    `algorithms.assignment.open_consumers`, where `lookup` is the index."""
    keys: Floats
    weights: Floats
    """`keys`, `weights`: float64[P]: speeds of the partitions, and weights of the consumers of the
    last step."""
    order: Longs
    heaviest: Longs
    """`order`, `heaviest`: int64[P]: partitions by speed, and those consumers by weight."""
    members: Longs
    ends: Longs
    """`members`, `ends`: int64[P]: ``members[ends[c - 1]:ends[c]]`` are the partitions that
    consumer c held, largest first."""
    spare: Longs
    """int64[P]: scratch space for sorting."""
    passes: Passes | None
    """Passes applied to each assignment before the next step."""
    rule: int
    by_largest: bool
    capacity: float
    """`rule`, `by_largest`, `capacity`: the arguments of `start`."""


def start(
    partitions: int,
    capacity: float,
    seed: int,
    *,
    rule: int,
    by_largest: bool,
    matched: bool = False,
    polished: bool = False,
    indexed: bool | None = None,
) -> ModifiedAnyFit:
    """Start MWF or MBF, or MWFP or MBFP.

    Each step starts with no open consumers and takes those of the last step, heaviest first. The
    partitions of each one are offered to the consumers that are already open, smallest first, until
    one fits nowhere. If any are left, the consumer itself is opened and keeps them, largest first,
    until one does not fit; that one and the smaller ones wait. At the end the waiting and the newly
    arrived partitions are placed, largest first, by the fit rule. A consumer is opened as in
    `algorithms.assignment.any_fit.start`.

    capacity: Packing capacity C of a consumer, bytes/s.
    seed: Not used: nothing here is random.
    rule: ``fit_rules.BEST`` or ``fit_rules.WORST``, for offers and at the end.
    by_largest: Whether a consumer's weight is its largest partition instead of its load.
    matched, polished: Whether each assignment is relabelled, and polished, before the next step;
        see `algorithms.assignment.post_passes`.
    indexed: Whether consumers are found by an index instead of a scan. An index is faster for many
        consumers. By default P decides. The result is the same.

    Algorithm 1 of `algorithms.assignment.algorithm.PAPER`. All speeds are those of the current
    iteration. Ties in weight go by id; ties in speed by partition index, also where the smallest is
    first; ties in load to the lowest id. A consumer of the last step is skipped if all its
    partitions departed. A step takes O(P log P) time and a state O(P) memory. For few partitions, a
    scan over the B consumers in use replaces the index: O(P (log P + B)).

    In the second iteration consumer 1 is the heaviest (6 + 5) and keeps only its largest partition.
    The partition of 7 does not fit there, so consumer 0 is opened for it. The waiting partition of
    5 fits into neither and opens the next consumer.

    >>> from algorithms.assignment import registry
    >>> rates = np.array([[7.0, 5.0, 5.0], [7.0, 6.0, 5.0]])
    >>> registry.get("MWF").assign(rates, 10.0, 0).tolist()
    [[0, 1, 1], [0, 1, 2]]
    """
    rule = check_count("rule", rule, fit_rules.BEST, fit_rules.WORST)
    index = open_consumers.make_index(rule, partitions, indexed)
    loads, bits, marks = open_consumers.create(partitions, index)
    return ModifiedAnyFit(
        before=np.full(partitions, open_consumers.NOWHERE, dtype=np.int32),
        loads=loads,
        bits=bits,
        marks=marks,
        lookup=index,
        keys=np.empty(partitions),
        weights=np.empty(partitions),
        order=np.empty(partitions, np.int64),
        heaviest=np.empty(partitions, np.int64),
        members=np.empty(partitions, np.int64),
        ends=np.empty(partitions, np.int64),
        spare=np.empty(partitions, np.int64),
        passes=post_passes.make(partitions, capacity, matched, polished),
        rule=rule,
        by_largest=bool(by_largest),
        capacity=capacity,
    )


@makes_steps(ModifiedAnyFit)
@kernel
def _step(state: ModifiedAnyFit, rates: Floats, after: Ints) -> None:
    keys, before = state.keys, state.before
    open_consumers.read_speeds(rates, keys, after)
    sorting.descending(keys, state.order, state.spare)
    _weigh(keys, before, state.by_largest, state.weights)
    sorting.descending(state.weights, state.heaviest, state.spare)
    _group(keys, state.order, before, state.members, state.ends)
    # Values that may be None are arguments: only then does Numba compile a version for None.
    _repack(state, state.lookup, after)
    post_passes.finish(state.passes, keys, before, after)


@kernel
def _repack(state: ModifiedAnyFit, lookup: Ints | None, after: Ints) -> None:
    rule, loads, bits, marks = state.rule, state.loads, state.bits, state.marks
    keys, capacity = state.keys, state.capacity
    weights, members, ends = state.weights, state.members, state.ends
    open_consumers.close_all(rule, loads, marks, lookup)
    for c in state.heaviest:
        if weights[c] == sorting.ABSENT:
            break
        held = members[(ends[c - 1] if c > 0 else 0) : ends[c]]
        if not _offer(rule, loads, bits, marks, lookup, keys, held, capacity, after):
            _keep(rule, loads, marks, lookup, keys, held, int(c), capacity, after)
    open_consumers.place_all(
        rule, loads, bits, marks, lookup, keys, state.order, state.before, capacity, after
    )


@kernel
def _weigh(keys: Floats, before: Ints, by_largest: bool, weights: Floats) -> None:
    """Load or largest speed of last iteration's consumers, `ABSENT` for those now empty."""
    weights[:] = sorting.ABSENT
    for j in range(keys.shape[0]):
        consumer = before[j]
        if consumer == open_consumers.NOWHERE or keys[j] == sorting.ABSENT:
            continue
        if weights[consumer] == sorting.ABSENT:
            weights[consumer] = keys[j]
        elif by_largest:
            weights[consumer] = max(weights[consumer], keys[j])
        else:
            weights[consumer] += keys[j]


@kernel
def _group(keys: Floats, order: Longs, before: Ints, members: Longs, ends: Longs) -> None:
    """Group the present partitions by last consumer, in the given order (counting sort)."""
    ends[:] = 0
    for j in order:
        if before[j] != open_consumers.NOWHERE and keys[j] != sorting.ABSENT:
            ends[before[j]] += 1
    start = 0
    for consumer in range(ends.shape[0]):
        count = ends[consumer]
        ends[consumer] = start
        start += count
    for j in order:
        if before[j] != open_consumers.NOWHERE and keys[j] != sorting.ABSENT:
            members[ends[before[j]]] = j
            ends[before[j]] += 1


@kernel
def _offer(
    rule: int,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    index: Ints | None,
    keys: Floats,
    held: Longs,
    capacity: float,
    after: Ints,
) -> bool:
    """Offer partitions, smallest first, to the open consumers; return whether all fit."""
    end = held.shape[0]
    while end > 0:
        # `held` is largest first, ties by index: go backwards, but take equal speeds forwards.
        start = end - 1
        while start > 0 and keys[held[start - 1]] == keys[held[start]]:
            start -= 1
        for i in range(start, end):
            j = held[i]
            consumer = open_consumers.find(rule, loads, bits, marks, index, keys[j], capacity)
            if consumer == open_consumers.NOWHERE:
                return False
            open_consumers.add(rule, loads, index, consumer, keys[j])
            after[j] = consumer
        end = start
    return True


@kernel
def _keep(
    rule: int,
    loads: Floats,
    marks: Longs,
    index: Ints | None,
    keys: Floats,
    held: Longs,
    consumer: int,
    capacity: float,
    after: Ints,
) -> None:
    """Open a consumer and let it keep its remaining partitions until one does not fit."""
    opened = False
    for j in held:
        if after[j] != open_consumers.PENDING:
            continue
        if not opened:
            open_consumers.open_with(rule, loads, marks, index, consumer, keys[j])
            opened = True
        elif open_consumers.has_room(loads, consumer, keys[j], capacity):
            open_consumers.add(rule, loads, index, consumer, keys[j])
        else:
            return
        after[j] = consumer
