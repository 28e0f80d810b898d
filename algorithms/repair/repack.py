"""Part of the consumers is emptied and packed anew, best fit decreasing."""

from __future__ import annotations

import numpy as np

from algorithms import bins, buckets, packing
from algorithms.arrays import Floats, Ints, Longs
from algorithms.buckets import COUNT, FIRST, OWNER
from algorithms.compiled import kernel
from algorithms.packing import NOWHERE, PENDING
from algorithms.repair.risk import CAPACITY
from algorithms.sorting import ABSENT


@kernel
def release(
    speeds: Floats,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    emptied: int,
) -> None:
    """Take everything from so many consumers, those with the most free capacity first.

    Within a bucket of `algorithms.buckets` they are taken as they stand. O(P).
    """
    capacity = terms[CAPACITY]
    bucket = buckets.last_bucket(links, bits, links.shape[1] - 1)
    while emptied > 0 and bucket != NOWHERE:
        c = buckets.first_in(links, bucket)
        while links[COUNT, c] > 0:
            packing.detach(speeds, links, loads, bits, marks, capacity, links[FIRST, c])
        emptied -= 1
        bucket = buckets.last_bucket(links, bits, bucket)


@kernel
def fill(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    order: Longs,
    leniency: float,
) -> None:
    """Best fit of all pending partitions, largest first; whatever fits nowhere opens a consumer.

    The home of a partition is taken in place of the best fit if it has room and is less full by
    `leniency` bytes/s at most.
    """
    capacity = terms[CAPACITY]
    for j in order:
        if links[OWNER, j] != PENDING:
            continue
        h, speed = home[j], speeds[j]
        c = buckets.best_fit(links, loads, bits, capacity, speed, 0.0, NOWHERE, NOWHERE)
        if c == NOWHERE:
            c = packing.closed_id(links, marks, h)
        elif (
            h != NOWHERE
            and packing.holds(links, loads, capacity, h, 0.0, speed)
            and loads[c] - loads[h] <= leniency
        ):
            c = h
        packing.attach(speeds, links, loads, bits, marks, capacity, j, c)


@kernel
def decreasing(
    rule: int,
    speeds: Floats,
    order: Longs,
    before: Ints,
    index: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    capacity: float,
    owners: Ints,
) -> int:
    """Pack everything as BFD or FFD does after `before`; returns the number of consumers.

    The arrays are those of `algorithms.bins` for the rule. O(P log P).
    """
    bins.close_all(rule, loads, marks, index)
    for j in range(speeds.shape[0]):
        owners[j] = NOWHERE if speeds[j] == ABSENT else PENDING
    bins.place_all(rule, loads, bits, marks, index, speeds, order, before, capacity, owners)
    count = 0
    for c in range(speeds.shape[0]):
        count += loads[c] < np.inf
    return count
