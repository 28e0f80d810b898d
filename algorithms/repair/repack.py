"""Part of the consumers is emptied and packed anew, best fit decreasing."""

from __future__ import annotations

from algorithms import buckets, packing
from algorithms.arrays import Floats, Ints, Longs
from algorithms.buckets import COUNT, FIRST, NEXT, OWNER
from algorithms.compiled import kernel
from algorithms.packing import NOWHERE, PENDING
from algorithms.repair.risk import CAPACITY


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
    """Take everything from so many consumers, those with the most free capacity first."""
    bucket = buckets.last_bucket(links, bits, links.shape[1] - 1)
    while emptied > 0 and bucket != NOWHERE:
        c = buckets.first_in(links, bucket)
        behind = buckets.behind(links, c)
        while c != NOWHERE and emptied > 0:
            behind = buckets.behind(links, c)
            while links[COUNT, c] > 0:
                packing.detach(speeds, links, loads, bits, marks, terms[CAPACITY], links[FIRST, c])
            emptied -= 1
            c = behind
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
) -> None:
    """Best fit of all pending partitions, largest first; whatever fits nowhere opens one."""
    for j in order:
        if links[OWNER, j] != PENDING:
            continue
        c = buckets.best_fit(links, loads, bits, terms[CAPACITY], speeds[j], 0.0, NOWHERE, NOWHERE)
        if c == NOWHERE:
            c = packing.closed_id(links, marks, home[j])
        packing.attach(speeds, links, loads, bits, marks, terms[CAPACITY], j, c)
