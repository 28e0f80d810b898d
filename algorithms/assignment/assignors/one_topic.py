"""One rebalance of a group that reads one topic, with checked arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from algorithms.assignment.assignors import assignor_names
from algorithms.core.arrays import MAX_PARTITIONS, Floats, Longs, check_count
from algorithms.core.input_errors import InvalidParameterError

MAX_MEMBER = 2**63 - 1
"""Greatest member id."""


def assign(
    name: str,
    partitions: int,
    members: Sequence[int] | Longs,
    owners: Sequence[int] | Longs,
    lags: Sequence[float] | Floats | None = None,
) -> Longs:
    """Assign the partitions of one topic to the members of a group, in one rebalance.

    name: Assignor; see below, and `names`.
    members: Ids of the present members, distinct, between 0 and 2**63 - 1, in any order.
    owners: length P, member that owns each partition now, -1 for none. A member that is not present
        owns nothing.
    lags: length P, lags in events, finite and at least 0, which only kip169 reads. Default: 0.
    Returns: int64[P], member id per partition. One round of cooperative_sticky withholds, as -1,
        every partition that moves from one present member to another.

    With M members, ``q = P div M`` and ``r = P mod M``, every member gets q partitions or one more.
    Members are taken by ascending id wherever Kafka iterates over a hash map.

    - ``range``, ``kip848_range``: blocks of neighbouring partitions, the first r with one more.
    - ``roundrobin``: partition ``i`` to member ``i mod M``.
    - ``sticky`` (KIP-54, as `AbstractStickyAssignor` for equal subscriptions): a member below q
      keeps all it owns. Of the others, the first r that own more than q keep q + 1 partitions (q if
      r = 0), and the rest keep q, the lowest first. All other partitions, ascending, go in turn to
      the members below q. Members that have exactly q then get one each: first those that had that
      many from the start, then the others in the order in which they reached it. As many partitions
      stay as in any balanced assignment.
    - ``cooperative_sticky`` (KIP-429): the same, with the withheld partitions described above.
    - ``kip848_uniform`` (KIP-848, Kafka 4.1): the next member has q + 1 places while fewer than r
      members took that many, q otherwise, and keeps its lowest partitions up to that. It does not
      take the extra place if places stay empty and enough members follow to take the extra ones.
      Empty places are filled in member order: first with partitions without an owner, ascending,
      then with revoked ones, by the member that loses them. ``kip848_uniform_4_0`` is Kafka 4.0.0
      (4.0.1 already is as 4.1), where the first r members have q + 1 places, used or not.
    - ``kip169``: partitions by descending lag, ties by index, each to the member with the
      fewest partitions, then the least lag, then the first id *as text* (10 before 9). Lags are
      added in doubles, in this order.

    O(P + M); O(P log P + P log M + M) for kip169; sorting and searching ids adds O((P + M) log M).

    Member 7 joins a group of two.

    >>> assign("sticky", 6, [3, 5, 7], [3, 5, 3, 5, 3, 5]).tolist()
    [3, 5, 3, 5, 7, 7]
    >>> assign("cooperative_sticky", 6, [3, 5, 7], [3, 5, 3, 5, 3, 5]).tolist()
    [3, 5, 3, 5, -1, -1]
    >>> assign("range", 6, [3, 5, 7], [-1] * 6).tolist()
    [3, 3, 5, 5, 7, 7]
    """
    from algorithms.assignment.assignors import placement

    code = assignor_names.code_of(name)
    p = check_count("partitions", partitions, 1, MAX_PARTITIONS)
    ids = _members(members)
    present = _integers("owners", owners, -1)
    _check_length("owners", present, p)
    after = np.empty(p, np.int64)
    scratch = placement.scratch(p, ids.size)
    placement.place(code, ids, present, _lags(lags, p), after, scratch)
    return after


def _members(members: Sequence[int] | Longs) -> Longs:
    ids = np.sort(_integers("members", members, 0))
    if ids.size == 0:
        raise InvalidParameterError("members must hold at least one member id (got none)")
    twice = ids[1:][ids[1:] == ids[:-1]]
    if twice.size:
        raise InvalidParameterError(f"members must be distinct (got {twice[0]} more than once)")
    return ids


def _integers(field: str, values: Sequence[int] | Longs, least: int) -> Longs:
    """Check ids, of members or of owners, and copy them to a contiguous array."""
    allowed = f"{field} must be integers between {least} and 2**63 - 1"
    array = _array(values, allowed)
    if array.ndim != 1:
        raise InvalidParameterError(f"{allowed}, in one dimension (got shape {array.shape})")
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.dtype.kind not in "iu":
        raise InvalidParameterError(f"{allowed} (got type {array.dtype})")
    low, high = int(array.min()), int(array.max())
    if low < least or high > MAX_MEMBER:
        raise InvalidParameterError(f"{allowed} (got {low if low < least else high})")
    ids: Longs = array.astype(np.int64)
    return ids


def _array(values: object, allowed: str) -> Any:
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InvalidParameterError(f"{allowed}, in one dimension (got a ragged list)") from error


def _lags(lags: Sequence[float] | Floats | None, partitions: int) -> Floats:
    if lags is None:
        return np.zeros(partitions)
    array = _array(lags, "lags must be numbers")
    _check_length("lags", array, partitions)
    if array.dtype.kind not in "iuf":
        raise InvalidParameterError(f"lags must be numbers (got type {array.dtype})")
    checked: Floats = array.astype(np.float64)
    wrong = np.flatnonzero(~((checked >= 0.0) & (checked < np.inf)))
    if wrong.size:
        p = int(wrong[0])
        raise InvalidParameterError(
            f"lags[{p}] must be finite and at least 0 events (got {checked[p]})"
        )
    return checked


def _check_length(field: str, values: Floats | Longs, partitions: int) -> None:
    if values.shape != (partitions,):
        raise InvalidParameterError(
            f"{field} must have one value per partition, {partitions} (got shape {values.shape})"
        )
