"""Uniform assignor of the group coordinator (KIP-848) for members with equal subscriptions."""

from __future__ import annotations

from algorithms.assignment.assignors import present_owners
from algorithms.assignment.assignors.present_owners import UNOWNED, Scratch
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel


@kernel
def place_uniform(n: int, gives_back: bool, after: Longs, scratch: Scratch) -> None:
    """Rebalance n members; only Kafka 4.0.0 does not give unused extra places back. O(P + n)."""
    present_owners.count(n, scratch.holders, scratch.sizes)
    _set_quotas(n, gives_back, after.shape[0], scratch)
    _revoke(n, after, scratch)
    _fill(n, after, scratch)


@kernel
def _set_quotas(n: int, gives_back: bool, partitions: int, scratch: Scratch) -> None:
    """Decide how many partitions each member keeps, and how many others it gets."""
    sizes, quotas, open_places = scratch.sizes, scratch.quotas, scratch.unfilled
    least, extra = partitions // n, partitions % n
    for m in range(n):
        has_extra = extra > 0
        quota = least + has_extra
        # The last members have to use the extra places that are left.
        if gives_back and has_extra and sizes[m] < quota and n - m > extra:
            has_extra = False
            quota -= 1
        extra -= has_extra
        quotas[m] = min(sizes[m], quota)
        open_places[m] = quota - quotas[m]


@kernel
def _revoke(n: int, after: Longs, scratch: Scratch) -> None:
    """Let members keep their first partitions, and list the others in the order they are given.

    Those without an owner come first, then the revoked by the member that loses them.
    """
    holders, sizes, quotas = scratch.holders, scratch.sizes, scratch.quotas
    pool, ends = scratch.order, scratch.candidates
    n_pool = after.shape[0]
    for m in range(n):
        n_pool -= sizes[m]
    for m in range(n):
        ends[m] = n_pool
        n_pool += sizes[m] - quotas[m]
    n_unowned = 0
    for p in range(after.shape[0]):
        m = holders[p]
        after[p] = m
        if m == UNOWNED:
            pool[n_unowned] = p
            n_unowned += 1
        elif quotas[m] > 0:
            quotas[m] -= 1
        else:
            pool[ends[m]] = p
            ends[m] += 1


@kernel
def _fill(n: int, after: Longs, scratch: Scratch) -> None:
    """Fill the open places, of which there are as many as listed partitions."""
    pool, open_places = scratch.order, scratch.unfilled
    start = 0
    for m in range(n):
        for i in range(start, start + open_places[m]):
            after[pool[i]] = m
        start += open_places[m]
