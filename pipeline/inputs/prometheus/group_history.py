"""What a Prometheus has seen of a consumer group: offsets, lag and the number of members."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.inputs.traces.recorded_group import NO_MEMBER, RecordedGroup

Floats = NDArray[np.float64]

LONGEST_DIP_S = 900.0
"""A group that has fewer members for longer was made smaller; a shorter time is a restart."""


class GroupHistory(NamedTuple):
    """A group over the T times of a range and the P partitions that it reads."""

    name: str
    partitions: tuple[str, ...]
    times: Floats
    """``float64[T]``, s since 1970, at equal steps."""
    ends: Floats
    committed: Floats
    """`ends`, `committed`: ``float64[T, P]``; NaN where unknown."""
    members: Floats | None
    """``float64[T]``, NaN where unknown; None if the exporter has no such metric."""

    @property
    def step_s(self) -> float:
        """Time between two times, s."""
        return float(self.times[1] - self.times[0])

    @property
    def lag(self) -> Floats:
        """``float64[T]``: events not read yet; partitions that are not known do not count."""
        lag: Floats = np.nansum(np.maximum(self.ends - self.committed, 0.0), axis=1)
        return lag


class Change(NamedTuple):
    """A change of the number of members, and how long reading stopped around it."""

    at: float
    before: int
    after: int
    stopped_s: float
    """Time of the whole steps in which nothing was committed though there was lag."""


def mean_member(history: GroupHistory) -> RecordedGroup:
    """The group as one that has a single member at a time, which reads the mean of all.

    Offsets are divided by the number of members, and each number is a member of its own: only
    times with the same number are compared. Partitions that are never written are left out, since
    they have no lag however far the group is behind.
    """
    members = np.ones(len(history.times)) if history.members is None else history.members
    greatest, least = np.fmax.reduce(history.ends, axis=0), np.fmin.reduce(history.ends, axis=0)
    kept: NDArray[np.bool_] = greatest > least
    # A member without partitions reads nothing.
    reading = np.minimum(members, float(max(1, int(np.count_nonzero(kept)))))
    is_known = np.nan_to_num(reading) > 0.0
    share = np.where(is_known, reading, 1.0)[:, None]
    owner = np.where(is_known, np.nan_to_num(reading), NO_MEMBER).astype(np.int64)
    numbers = range(int(owner.max(initial=0)) + 1)
    return RecordedGroup(
        name=history.name,
        partitions=tuple(np.array(history.partitions)[kept].tolist()),
        times=history.times,
        committed=history.committed[:, kept] / share,
        ends=history.ends[:, kept] / share,
        owners=np.repeat(owner[:, None], np.count_nonzero(kept), axis=1),
        members=tuple(map(str, numbers)),
        hosts=tuple("" for _ in numbers),
    )


def changes(history: GroupHistory) -> list[Change]:
    """Changes of the number of members, in order; those to and from an unknown number not."""
    if history.members is None:
        return []
    known = np.flatnonzero(~np.isnan(history.members))
    numbers = history.members[known]
    stopped = _stopped(history)
    return [
        Change(
            float(history.times[known[place + 1]]),
            int(numbers[place]),
            int(numbers[place + 1]),
            _length(stopped, int(known[place]), int(known[place + 1])) * history.step_s,
        )
        for place in np.flatnonzero(np.diff(numbers)).tolist()
    ]


def _stopped(history: GroupHistory) -> NDArray[np.bool_]:
    """``bool[T - 1]``: whether members committed nothing in a step though there was lag."""
    moved = np.nansum(np.maximum(np.diff(history.committed, axis=0), 0.0), axis=1)
    is_known: NDArray[np.bool_] = ~np.all(np.isnan(history.committed), axis=1)
    if history.members is not None:
        is_known &= np.nan_to_num(history.members) > 0.0
    stopped: NDArray[np.bool_] = (
        (moved == 0.0) & (history.lag[:-1] > 0.0) & is_known[:-1] & is_known[1:]
    )
    return stopped


def _length(stopped: NDArray[np.bool_], first: int, last: int) -> int:
    """Steps of the stop that a change from one time to another is part of.

    A change is seen at the end of its step; what stops then goes on after it.
    """
    begin = end = next((k for k in range(first, last + 1) if k < len(stopped) and stopped[k]), -1)
    if begin < 0:
        return 0
    while begin > 0 and stopped[begin - 1]:
        begin -= 1
    while end < len(stopped) and stopped[end]:
        end += 1
    return end - begin


def dips(history: GroupHistory) -> list[float]:
    """Times for which the group had fewer members, until it had as many again, s.

    Longer times than `LONGEST_DIP_S` do not count.
    """
    lengths: list[float] = []
    seen = changes(history)
    for place, change in enumerate(seen):
        if change.after >= change.before:
            continue
        back = next((one.at for one in seen[place + 1 :] if one.after >= change.before), None)
        if back is not None and back - change.at <= LONGEST_DIP_S:
            lengths.append(back - change.at)
    return lengths
