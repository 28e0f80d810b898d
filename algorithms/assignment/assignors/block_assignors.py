"""Range and round robin: assignors that ignore who owns what."""

from __future__ import annotations

from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel


@kernel
def place_range(n: int, after: Longs) -> None:
    """Give each of n members a block of neighbours; the first ``P mod n`` blocks have one more."""
    partitions = after.shape[0]
    size, longer = partitions // n, partitions % n
    member, end = 0, size + (longer > 0)
    for p in range(partitions):
        if p == end:
            member += 1
            end += size + (member < longer)
        after[p] = member


@kernel
def place_ranges(n: int, starts: Longs, after: Longs) -> None:
    """Place each topic on its own, as `place_range` does; topic t starts at ``starts[t]``."""
    for t in range(starts.shape[0] - 1):
        place_range(n, after[starts[t] : starts[t + 1]])


@kernel
def place_round_robin(n: int, after: Longs) -> None:
    """Give partition ``i`` to member ``i mod n``."""
    member = 0
    for p in range(after.shape[0]):
        after[p] = member
        member += 1
        if member == n:
            member = 0
