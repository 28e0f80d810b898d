"""One rebalance of a group whose members read the same topics, for compiled callers.

`place` is one round of any assignor, `settle` all rounds until every partition has an owner.
"""

from __future__ import annotations

from algorithms.assignment.assignors import (
    assignor_names,
    block_assignors,
    lag_aware_assignor,
    present_owners,
    sticky_assignor,
    uniform_assignor,
)
from algorithms.assignment.assignors.present_owners import UNOWNED, Scratch, scratch
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

__all__ = ["UNOWNED", "Scratch", "place", "scratch", "settle"]

_RANGE, _KIP848_RANGE = assignor_names.RANGE, assignor_names.KIP848_RANGE
_ROUND_ROBIN, _KIP169 = assignor_names.ROUND_ROBIN, assignor_names.KIP169
_STICKY, _COOPERATIVE = assignor_names.STICKY, assignor_names.COOPERATIVE_STICKY
_UNIFORM = assignor_names.KIP848_UNIFORM


@kernel
def place(
    code: int, members: Longs, owners: Longs, lags: Floats, after: Longs, scratch: Scratch
) -> None:
    """Assign the P partitions of all topics to M members, in one round, without checks.

    code: Assignor; see `algorithms.assignment.assignors.assignor_names.code_of`.
    members: int64[M], member ids, at least 0, distinct and ascending. With no members, all
        partitions wait.
    owners: int64[P], present owners. -1, or an id that is not a member, counts as none.
    lags: float64[P], lags in events, at least 0; only kip169 reads them.
    after: int64[P], filled with the new owners; -1 = withheld until its present owner has revoked
        it (cooperative_sticky only) or no members. It may be the same array as `owners`.
    scratch: From `scratch`, for P partitions, their topics and at least M members.

    Deterministic. O(P + M); O(P log M + M) if ids have gaps; kip169 O(P log P + P log M + T M)
    for T topics.
    """
    n = members.shape[0]
    if n == 0:
        after[:] = UNOWNED
        return
    if code in (_RANGE, _KIP848_RANGE):
        block_assignors.place_ranges(n, scratch.starts, after)
    elif code == _ROUND_ROBIN:
        block_assignors.place_round_robin(n, after)
    elif code == _KIP169:
        lag_aware_assignor.place_by_lag(members, lags, after, scratch)
    else:
        present_owners.locate(members, owners, scratch.holders)
        if code in (_STICKY, _COOPERATIVE):
            sticky_assignor.place_sticky(n, code == _COOPERATIVE, after, scratch)
        else:
            uniform_assignor.place_uniform(n, code == _UNIFORM, after, scratch)
    _name_owners(members, after)


@kernel
def settle(
    code: int, members: Longs, owners: Longs, lags: Floats, after: Longs, scratch: Scratch
) -> None:
    """Assign the partitions as `place` does, and again until no partition is withheld.

    Each round starts from what the round before has left to the members. Only cooperative_sticky
    needs a second round, and never a third: after the first one no member has more than its share.
    """
    place(code, members, owners, lags, after, scratch)
    if code == _COOPERATIVE and members.shape[0] > 0:
        n_withheld = 0
        for owner in after:
            n_withheld += owner == UNOWNED
        if n_withheld > 0:
            place(code, members, after, lags, after, scratch)


@kernel
def _name_owners(members: Longs, after: Longs) -> None:
    for p in range(after.shape[0]):
        if after[p] != UNOWNED:
            after[p] = members[after[p]]
