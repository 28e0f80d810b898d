"""Replay of consumers that process the records of their partitions one after the other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Ints, Longs
from algorithms.core.compiled import allocating, kernel
from algorithms.core.input_errors import InvalidParameterError


class Ownership(NamedTuple):
    """Times in which consumers own partitions, one per place in the arrays.

    Attributes
    ----------
    partition, consumer : int32[M]
        The partition, and the consumer that owns it; both at least 0.
    taken_s : float64[M]
        When the consumer takes it over, s.
    released_s : float64[M]
        When it gives it away, s; +inf for never.
    """

    partition: Ints
    consumer: Ints
    taken_s: Floats
    released_s: Floats


def waiting_times(due_s: Floats, partitions: Ints, owned: Ownership, service_s: float) -> Floats:
    """Time that each record waits until a consumer takes it up.

    A record arrives at a consumer when it is due and the consumer has taken its partition over. A
    consumer takes records up in the order of their arrival there, and each for the service time.
    It takes up none of a partition from its release on; those left wait for the next owner.

    Parameters
    ----------
    due_s : float64[n]
        When each record is due, s; ascending within a partition.
    partitions : int32[n]
        Partition of each record, at least 0.
    owned : Ownership
        Owners; a partition has at most one at any time.
    service_s : float
        Time that a consumer takes for one record, s.

    Returns
    -------
    float64[n]
        Time from due until taken up, s; +inf for a record that never is.

    Raises
    ------
    InvalidParameterError
        If lengths differ, a number is out of bounds, or a partition has two owners at a time.

    Notes
    -----
    The start of the service counts, not its end, as in the latency model
    (`algorithms.scores.latency_model`). Records that arrive at the same time are taken by due time,
    then by partition. O((n + M) Q) with Q the most partitions of a consumer.

    Examples
    --------
    Consumer 1 takes the partition over at 2 s, when a record is left.

    >>> due = np.array([0.0, 0.5, 1.0])
    >>> owned = Ownership(
    ...     partition=np.array([0, 0], np.int32),
    ...     consumer=np.array([0, 1], np.int32),
    ...     taken_s=np.array([0.0, 2.0]),
    ...     released_s=np.array([1.5, np.inf]),
    ... )
    >>> waiting_times(due, np.zeros(3, np.int32), owned, 1.0).tolist()
    [0.0, 0.5, 1.0]
    """
    due_s, partitions = np.require(due_s, np.float64, "C"), np.require(partitions, np.int32, "C")
    owned = Ownership(
        *(np.require(ids, np.int32, "C") for ids in owned[:2]),
        *(np.require(times, np.float64, "C") for times in owned[2:]),
    )
    _check_records(due_s, partitions)
    _check_owners(owned)
    service = float(service_s)
    if not 0.0 < service < math.inf:
        raise InvalidParameterError(f"service_s must be finite and above 0 s (got {service_s})")
    count = 1 + max(
        (int(ids.max()) for ids in (partitions, owned.partition) if ids.size), default=0
    )
    order = np.argsort(partitions, kind="stable")
    ends = np.searchsorted(partitions[order], np.arange(count + 1)).astype(np.int64)
    waits = np.full(due_s.size, math.inf)
    if owned.partition.size:
        waits[order] = _replay(due_s[order], ends, owned, _changes(owned), service)
    return waits


def _changes(owned: Ownership) -> Longs:
    """Changes of owners by time, a release before a take-over: -1 - i releases place i."""
    places = np.flatnonzero(owned.taken_s < owned.released_s)
    ended = places[np.isfinite(owned.released_s[places])]
    times = np.concatenate([owned.released_s[ended], owned.taken_s[places]])
    changes = np.concatenate([-1 - ended, places])
    return changes[np.lexsort((changes >= 0, times))].astype(np.int64)


def _check_records(due_s: Floats, partitions: Ints) -> None:
    if due_s.ndim != 1 or due_s.shape != partitions.shape:
        raise InvalidParameterError(
            "due_s and partitions must have one number per record "
            f"(got shapes {due_s.shape} and {partitions.shape})"
        )
    if not np.isfinite(due_s).all():
        raise InvalidParameterError("due_s must be finite")
    if due_s.size and partitions.min() < 0:
        raise InvalidParameterError(f"partitions must be at least 0 (got {partitions.min()})")
    order = np.argsort(partitions, kind="stable")
    goes_back = (np.diff(due_s[order]) < 0) & (np.diff(partitions[order]) == 0)
    if goes_back.any():
        partition = int(partitions[order][int(np.argmax(goes_back))])
        raise InvalidParameterError(
            f"due_s must be ascending within a partition (partition {partition} is not)"
        )


def _check_owners(owned: Ownership) -> None:
    if len({column.shape for column in owned}) > 1 or owned.partition.ndim != 1:
        shapes = ", ".join(str(column.shape) for column in owned)
        raise InvalidParameterError(f"columns of owned must have the same length (got {shapes})")
    if not owned.partition.size:
        return
    if owned.partition.min() < 0 or owned.consumer.min() < 0:
        raise InvalidParameterError("partitions and consumers of owned must be at least 0")
    if not (np.isfinite(owned.taken_s) & (owned.taken_s <= owned.released_s)).all():
        raise InvalidParameterError("taken_s must be finite and at most released_s")
    order = np.lexsort((owned.released_s, owned.taken_s, owned.partition))
    taken, released, partition = (
        column[order] for column in (owned.taken_s, owned.released_s, owned.partition)
    )
    clash = (taken[1:] < released[:-1]) & (partition[1:] == partition[:-1])
    if clash.any():
        place = int(np.argmax(clash))
        raise InvalidParameterError(
            f"partition {partition[place]} has two owners at {taken[place + 1]:g} s"
        )


@allocating
def _replay(due: Floats, ends: Longs, owned: Ownership, changes: Longs, service: float) -> Floats:
    """Waiting times of records that are sorted by partition, those of p from ends[p] on."""
    waits = np.full(due.size, np.inf)
    heads = ends[:-1].copy()
    taken = np.zeros(heads.size)
    consumers = int(owned.consumer.max()) + 1
    free = np.full(consumers, -np.inf)
    # Partitions of a consumer are a list: `first` and `following`, -1 at its end.
    first, following = np.full(consumers, -1), np.full(heads.size, -1)
    for change in changes:
        place = change if change >= 0 else -1 - change
        p, c = owned.partition[place], owned.consumer[place]
        until = owned.taken_s[place] if change >= 0 else owned.released_s[place]
        free[c] = _serve(
            first[c], following, due, ends, heads, taken, free[c], until, service, waits
        )
        if change >= 0:
            taken[p] = until
            following[p], first[c] = first[c], p
        else:
            _unlink(c, p, first, following)
    for c in range(consumers):
        _serve(first[c], following, due, ends, heads, taken, free[c], np.inf, service, waits)
    return waits


@kernel
def _unlink(c: int, p: int, first: Longs, following: Longs) -> None:
    if first[c] == p:
        first[c] = following[p]
    else:
        before = first[c]
        while following[before] != p:
            before = following[before]
        following[before] = following[p]


@kernel
def _serve(
    first: int,
    following: Longs,
    due: Floats,
    ends: Longs,
    heads: Longs,
    taken: Floats,
    free: float,
    until: float,
    service: float,
    waits: Floats,
) -> float:
    """Take records up that a consumer can start before a time; return when it is free again."""
    while True:
        chosen, least, oldest = -1, np.inf, np.inf
        p = first
        while p >= 0:
            if heads[p] < ends[p + 1]:
                own = due[heads[p]]
                arrival = max(own, taken[p])
                if arrival < least or (
                    arrival == least and (own < oldest or (own == oldest and p < chosen))
                ):
                    chosen, least, oldest = p, arrival, own
            p = following[p]
        start = max(free, least)
        if chosen < 0 or start >= until:
            return free
        waits[heads[chosen]] = start - due[heads[chosen]]
        heads[chosen] += 1
        free = start + service
