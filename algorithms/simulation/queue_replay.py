"""Replay of consumers that fetch the records of their partitions and process them one by one."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Ints, Longs
from algorithms.core.compiled import allocating, kernel
from algorithms.core.input_errors import InvalidParameterError


class Ownership(NamedTuple):
    """Times in which consumers own partitions, one per place in the arrays."""

    partition: Ints
    consumer: Ints
    """`partition`, `consumer`: int32[M]: the partition, and the consumer that owns it; both at
    least 0."""
    taken_s: Floats
    """float64[M]: when the consumer takes it over, s."""
    released_s: Floats
    """float64[M]: when it gives it away, s; +inf for never."""


class Fetching(NamedTuple):
    """How a consumer fetches."""

    share: int
    """Records of one partition in one answer of the broker, at least 1."""
    answer: int
    """Records of all partitions in one answer, at least 1."""
    buffer_s: float
    """Work that has been fetched, above which a consumer fetches no more, s; at least 0."""


def waiting_times(
    due_s: Floats, partitions: Ints, owned: Ownership, service_s: float, fetching: Fetching
) -> Floats:
    """Time that each record waits until a consumer takes it up.

    A record can be fetched when it is due and a consumer has taken its partition over. While a
    consumer has less in its buffer than it may, it fetches from all of its partitions in turn, in
    the order in which it took them over, a share of each at most, until the answer is full. It
    takes records up in the order in which they came into its buffer, and each for the service time.
    So it is as a queue in the order of arrival as long as it keeps up. When it does not, it divides
    its time among partitions: among the first ones if an answer has no room for a share of each.

    It takes up none of a partition from its release on; those left, in the buffer or not, wait for
    the next owner.

    due_s: float64[n], when each record is due, s; ascending within a partition.
    partitions: int32[n], partition of each record, at least 0.
    owned: Owners; a partition has at most one at any time.
    service_s: Time that a consumer takes for one record, s.
    Returns: float64[n], time from due until taken up, s; +inf for a record that never is.

    The start of the service counts, not its end, as in the latency model
    (`algorithms.scores.latency_model`). Fetching takes no time. O((n + M) Q) with Q the most
    partitions of a consumer.

    Consumer 1 takes the partition over at 2 s, when a record is left.

    >>> due = np.array([0.0, 0.5, 1.0])
    >>> owned = Ownership(
    ...     partition=np.array([0, 0], np.int32),
    ...     consumer=np.array([0, 1], np.int32),
    ...     taken_s=np.array([0.0, 2.0]),
    ...     released_s=np.array([1.5, np.inf]),
    ... )
    >>> waiting_times(due, np.zeros(3, np.int32), owned, 1.0, Fetching(2, 9, 0.25)).tolist()
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
    share, answer, buffer_s = map(float, fetching)
    if min(share, answer) < 1 or not 0.0 <= buffer_s < math.inf:
        raise InvalidParameterError(
            "share and answer must be at least 1, and buffer_s finite and at least 0 s "
            f"(got {fetching})"
        )
    count = 1 + max(
        (int(ids.max()) for ids in (partitions, owned.partition) if ids.size), default=0
    )
    order = np.argsort(partitions, kind="stable")
    ends = np.searchsorted(partitions[order], np.arange(count + 1)).astype(np.int64)
    waits = np.full(due_s.size, math.inf)
    if owned.partition.size:
        share, answer, most = (int(min(n, due_s.size)) for n in (share, answer, buffer_s / service))
        pace = _Pace(service, share, answer, most)
        waits[order] = _replay(due_s[order], ends, owned, _changes(owned), pace)
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


class _Pace(NamedTuple):
    """Service time of a record, s; as `Fetching`; records buffered at most to fetch more."""

    service: float
    share: int
    answer: int
    most: int


class _Group(NamedTuple):
    """Consumers and their partitions; records are sorted by partition, those of p from ends[p] on.

    ``heads`` and ``fetched`` are the next records of a partition to be taken up and to be fetched,
    ``taken`` when it was taken over. Partitions of a consumer are a list: ``first`` and
    ``following``, -1 at its end. ``buffers`` are rings of the partitions of its buffered records,
    with ``begin`` and ``size``; ``free`` is when it can take up the next record.
    """

    due: Floats
    ends: Longs
    waits: Floats
    heads: Longs
    fetched: Longs
    taken: Floats
    following: Longs
    first: Longs
    free: Floats
    buffers: Longs
    begin: Longs
    size: Longs


@allocating
def _replay(due: Floats, ends: Longs, owned: Ownership, changes: Longs, pace: _Pace) -> Floats:
    """Waiting times of records that are sorted by partition, those of p from ends[p] on."""
    count, consumers = ends.size - 1, int(owned.consumer.max()) + 1
    room = pace.most + 1 + pace.answer
    group = _Group(
        due,
        ends,
        np.full(due.size, np.inf),
        ends[:-1].copy(),
        ends[:-1].copy(),
        np.zeros(count),
        np.full(count, -1),
        np.full(consumers, -1),
        np.full(consumers, -np.inf),
        np.zeros((consumers, room), np.int64),
        np.zeros(consumers, np.int64),
        np.zeros(consumers, np.int64),
    )
    for change in changes:
        place = change if change >= 0 else -1 - change
        p, c = owned.partition[place], owned.consumer[place]
        until = owned.taken_s[place] if change >= 0 else owned.released_s[place]
        _serve(group, c, until, pace)
        if change >= 0:
            group.taken[p], group.fetched[p] = until, group.heads[p]
            _append(group, c, p)
        else:
            _remove(group, c, p)
    for c in range(consumers):
        _serve(group, c, np.inf, pace)
    return group.waits


@kernel
def _append(group: _Group, c: int, p: int) -> None:
    group.following[p] = -1
    if group.first[c] < 0:
        group.first[c] = p
        return
    last = group.first[c]
    while group.following[last] >= 0:
        last = group.following[last]
    group.following[last] = p


@kernel
def _remove(group: _Group, c: int, p: int) -> None:
    """Take a partition from a consumer, and its records out of the buffer."""
    if group.first[c] == p:
        group.first[c] = group.following[p]
    else:
        before = group.first[c]
        while group.following[before] != p:
            before = group.following[before]
        group.following[before] = group.following[p]
    room, begin, kept = group.buffers.shape[1], group.begin[c], 0
    for i in range(group.size[c]):
        own = group.buffers[c, (begin + i) % room]
        if own != p:
            group.buffers[c, (begin + kept) % room] = own
            kept += 1
    group.size[c] = kept


@kernel
def _serve(group: _Group, c: int, until: float, pace: _Pace) -> None:
    """Take records up that a consumer can start before a time."""
    room = group.buffers.shape[1]
    while True:
        now = group.free[c]
        if group.size[c] == 0:
            now = max(now, _next_arrival(group, c))
        if not now < until:
            return
        if group.size[c] <= pace.most:
            _fetch(group, c, now, pace)
        p = group.buffers[c, group.begin[c]]
        group.begin[c] = (group.begin[c] + 1) % room
        group.size[c] -= 1
        group.waits[group.heads[p]] = now - group.due[group.heads[p]]
        group.heads[p] += 1
        group.free[c] = now + pace.service


@kernel
def _next_arrival(group: _Group, c: int) -> float:
    """When a record can be fetched next; +inf if there is none."""
    soonest = np.inf
    p = group.first[c]
    while p >= 0:
        if group.fetched[p] < group.ends[p + 1]:
            soonest = min(soonest, max(group.due[group.fetched[p]], group.taken[p]))
        p = group.following[p]
    return soonest


@kernel
def _fetch(group: _Group, c: int, now: float, pace: _Pace) -> None:
    """Put what has arrived into the buffer, a share of each partition at most."""
    room, left = group.buffers.shape[1], pace.answer
    p = group.first[c]
    while p >= 0 and left > 0:
        for _ in range(min(pace.share, left)):
            i = group.fetched[p]
            if i == group.ends[p + 1] or max(group.due[i], group.taken[p]) > now:
                break
            group.buffers[c, (group.begin[c] + group.size[c]) % room] = p
            group.size[c] += 1
            group.fetched[p] = i + 1
            left -= 1
        p = group.following[p]
