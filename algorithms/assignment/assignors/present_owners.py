"""Which members own partitions before a rebalance, and the arrays that assignors work in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from algorithms.assignment.assignors import topic_sizes
from algorithms.core.arrays import MAX_PARTITIONS, Floats, Longs, check_count
from algorithms.core.compiled import inlined, kernel

UNOWNED = -1
"""Owner of a partition that no member owns, or that a round withholds."""


class Scratch(NamedTuple):
    """The topics, and arrays that assignors work in; these carry nothing to the next call.

    Columns are the partitions of all topics, by topic and then by number. Members are called by
    their position among the present members, by ascending id.
    """

    starts: Longs
    """int64[T + 1]: column at which each of T topics starts, and P."""
    by_number: Longs
    """int64[P]: columns by partition number, then topic."""
    holders: Longs
    """int64[P]: member that owns each partition before the rebalance, -1 = none."""
    order: Longs
    spare: Longs
    """`order`, `spare`: int64[P]: partitions in the order in which they are placed, and space for
    sorting."""
    sizes: Longs
    """int64[M]: partitions of each member so far."""
    quotas: Longs
    """int64[M]: partitions that each member may still keep."""
    unfilled: Longs
    candidates: Longs
    """`unfilled`, `candidates`: int64[M]: members that still get partitions."""
    loads: Floats
    """float64[M]: lag of each member so far."""


def scratch(
    partitions: int, members: int | None = None, topics: Sequence[int] | None = None
) -> Scratch:
    """Create the work arrays of a group, which needs them once.

    members: Most members that the group will have. Default: P.
    topics: Partitions of each topic, which sum to P. Default: one topic.

    O(P + members) memory.
    """
    p = check_count("partitions", partitions, 1, MAX_PARTITIONS)
    m = p if members is None else check_count("members", members, 1, MAX_PARTITIONS)
    sizes = topic_sizes.check_sizes(topics, p)
    return Scratch(
        starts=topic_sizes.starts_of(sizes),
        by_number=topic_sizes.by_number(sizes),
        holders=np.empty(p, np.int64),
        order=np.empty(p, np.int64),
        spare=np.empty(p, np.int64),
        sizes=np.empty(m, np.int64),
        quotas=np.empty(m, np.int64),
        unfilled=np.empty(m, np.int64),
        candidates=np.empty(m, np.int64),
        loads=np.empty(m),
    )


@kernel
def locate(members: Longs, owners: Longs, holders: Longs) -> None:
    """Fill `holders` with the position of each partition's owner among the members.

    An owner that is not a member counts as none. O(P) if the ids are ``0 .. M-1``, else
    O(P log M).
    """
    for p in range(owners.shape[0]):
        holders[p] = _position(members, owners[p])


@inlined
def _position(members: Longs, owner: int) -> int:
    # Ids are distinct and ascending, so none comes later than at the position of its own value.
    high = min(int(owner), members.shape[0] - 1)
    if high < 0:
        return UNOWNED
    if members[high] == owner:
        return int(high)
    low = 0
    while low < high:
        middle = (low + high) // 2
        if members[middle] < owner:
            low = middle + 1
        else:
            high = middle
    return low if members[low] == owner else UNOWNED


@kernel
def count(n: int, holders: Longs, sizes: Longs) -> None:
    """Count the partitions that each of the n members owns."""
    sizes[:n] = 0
    for holder in holders:
        if holder != UNOWNED:
            sizes[holder] += 1
