"""Modified any fit: repack last iteration's consumers one by one, moving as little as possible."""

from __future__ import annotations

import numpy as np

from algorithms.assignment import fit_rules, open_consumers, post_passes
from algorithms.core import sorting
from algorithms.core.arrays import (
    Floats,
    Ints,
    Longs,
    check_capacity,
    check_count,
    check_rates,
    check_seed,
)
from algorithms.core.compiled import allocating, kernel


def assign(
    rates: Floats,
    capacity: float,
    seed: int,
    *,
    rule: int,
    by_largest: bool,
    matched: bool = False,
    polished: bool = False,
    indexed: bool | None = None,
) -> Ints:
    """Assign a stream by MWF or MBF, or by MWFP or MBFP.

    Each iteration starts without open consumers and takes those of the last iteration, heaviest
    first. The partitions of each one are offered to the consumers that are open by then,
    smallest first, until one fits nowhere. If any are left, the consumer itself is opened and
    keeps them, largest first, until one does not fit; that one and the smaller ones wait. At
    the end these and the newly arrived partitions are placed, largest first, by the fit rule;
    a consumer is opened as in `algorithms.assignment.any_fit.assign`.

    Parameters
    ----------
    rates : float64[N, P]
        Write speeds in bytes/s, NaN = absent.
    capacity : float
        Packing capacity C of a consumer, bytes/s.
    seed : int
        Seed of the stream. Checked but not used: nothing here is random.
    rule : int
        ``rules.BEST`` or ``rules.WORST``, for offers and at the end.
    by_largest : bool
        Whether a consumer is as heavy as its largest partition, instead of as its load.
    matched, polished : bool, default False
        Whether each assignment is relabelled, and polished, before the next iteration; see
        `algorithms.assignment.post_passes`.
    indexed : bool, optional
        Whether consumers are found by an index instead of a scan, as is faster where there are
        many. By default P decides. The result is the same.

    Returns
    -------
    int32[N, P]
        Consumer ids in ``0 .. P-1``, -1 = absent. No consumer is above C, except one that holds
        a single partition that is faster than C.

    Raises
    ------
    InvalidParameterError
        If an argument is out of its bounds.

    Notes
    -----
    Landau, Saurabh, Andrade, Barbosa 2024 [1]_, Algorithm 1. All speeds are of the iteration at
    hand. Equally heavy consumers are taken by id, equal speeds by partition index, smallest
    first too; at equal loads the lowest id is taken. A consumer of the last iteration whose
    partitions all departed is passed over. O(N P log P) time and O(P) memory beside the result;
    O(N P (log P + B)) for few partitions, where a scan over the B consumers in use takes the
    place of the index.

    References
    ----------
    .. [1] D. Landau, N. Saurabh, X. Andrade, J. G. Barbosa, "Multi-Objective Optimization of
       Consumer Group Autoscaling in Message Broker Systems", 2024.

    Examples
    --------
    At the second iteration consumer 1 is the heaviest (6 + 5) and keeps its largest partition
    only. Consumer 0 cannot give its partition of 7 to it and is opened. The partition of 5 that
    waited fits into neither and opens the next one.

    >>> rates = np.array([[7.0, 5.0, 5.0], [7.0, 6.0, 5.0]])
    >>> assign(rates, 10.0, 0, rule=rules.WORST, by_largest=False).tolist()
    [[0, 1, 1], [0, 1, 2]]
    """
    rates = check_rates(rates)
    capacity = check_capacity(capacity)
    check_seed(seed)
    rule = check_count("rule", rule, fit_rules.BEST, fit_rules.WORST)
    index = open_consumers.make_index(rule, rates.shape[1], indexed)
    work = post_passes.make(rates.shape[1], capacity, matched, polished)
    consumers = np.empty(rates.shape, dtype=np.int32)
    _assign(rates, capacity, rule, bool(by_largest), index, work, consumers)
    return consumers


@allocating
def _assign(
    rates: Floats,
    capacity: float,
    rule: int,
    by_largest: bool,
    index: Ints | None,
    work: post_passes.Passes | None,
    consumers: Ints,
) -> None:
    n_iterations, n_partitions = rates.shape
    loads, bits, marks = open_consumers.create(n_partitions, index)
    keys, weights = np.empty(n_partitions), np.empty(n_partitions)
    # Partitions by speed, and consumers of the last iteration by weight.
    order, heaviest = np.empty(n_partitions, np.int64), np.empty(n_partitions, np.int64)
    spare = np.empty_like(order)
    # members[ends[c - 1]:ends[c]] are the partitions that consumer c held, largest first.
    members, ends = np.empty_like(order), np.empty_like(order)
    before = np.full(n_partitions, open_consumers.NOWHERE, dtype=np.int32)
    for k in range(n_iterations):
        after = consumers[k]
        open_consumers.read_speeds(rates[k], keys, after)
        sorting.descending(keys, order, spare)
        _weigh(keys, before, by_largest, weights)
        sorting.descending(weights, heaviest, spare)
        _group(keys, order, before, members, ends)
        open_consumers.close_all(rule, loads, marks, index)
        for c in heaviest:
            if weights[c] == sorting.ABSENT:
                break
            held = members[(ends[c - 1] if c > 0 else 0) : ends[c]]
            if not _offer(rule, loads, bits, marks, index, keys, held, capacity, after):
                _keep(rule, loads, marks, index, keys, held, int(c), capacity, after)
        open_consumers.place_all(
            rule, loads, bits, marks, index, keys, order, before, capacity, after
        )
        if work is not None:
            post_passes.finish(work, keys, before, after)
        before = after


@kernel
def _weigh(keys: Floats, before: Ints, by_largest: bool, weights: Floats) -> None:
    """Load or largest speed of last iteration's consumers, `ABSENT` for who holds nothing now."""
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
    """Deal the present partitions to their last consumers, in the given order (counting sort)."""
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
    """Offer partitions, smallest first, to the open consumers; whether all found a place."""
    end = held.shape[0]
    while end > 0:
        # Largest first, equals by index: backwards, a run of equals is still taken forwards.
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
    """Open a consumer and leave it what is left of its partitions, until one does not fit."""
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
