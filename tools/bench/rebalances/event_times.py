"""What one event did to a group, from what its members have noted: pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.arrays import Floats
from tools.bench.rebalances.group_member import ASSIGNED, CLOSED, REVOKED

KILLED = "killed"
"""Journal entry for a member that was killed, written by the process that killed it."""

CONTROL_S = 1.0
"""Time before an event in which pauses are those of an undisturbed group."""

Entry = Mapping[str, Any]
Owners = dict[int, str]


class Reads(NamedTuple):
    """Records that were read, in order of time."""

    at_ns: NDArray[np.int64]
    partitions: NDArray[np.int32]
    members: NDArray[np.str_]

    def of(self, partition: int) -> Reads:
        """Those of one partition."""
        own = self.partitions == partition
        return Reads(self.at_ns[own], self.partitions[own], self.members[own])


class EventTimes(NamedTuple):
    """An event in seconds; pauses are the longest time between two records of a partition."""

    settled_s: float
    """From the event until each partition's final owner has read it."""
    first_s: float | None
    """From the event until the first rebalance callback of another member; None without one."""
    last_s: float | None
    """From the event until the last revocation by another member; None without one."""
    moved: dict[int, float]
    """Pauses of the partitions with another owner than before."""
    kept: dict[int, float]
    """Pauses of the others."""
    control_s: float
    """The longest pause of any partition just before the event."""
    receivers: int
    """Members that have received partitions."""


def owners_after(entries: Iterable[Entry], before: Mapping[int, str] | None = None) -> Owners:
    """Who owns what after rebalances, in order of time."""
    owners = dict(before or {})
    for entry in entries:
        member = entry["member"]
        if entry["what"] == ASSIGNED:
            owners |= dict.fromkeys(entry["partitions"], member)
        elif entry["what"] in (REVOKED, CLOSED, KILLED):
            lost = entry.get("partitions")
            for partition in [p for p, owner in owners.items() if owner == member]:
                if lost is None or partition in lost:
                    del owners[partition]
    return owners


def is_even(owners: Mapping[int, str], members: Iterable[str], partitions: int) -> bool:
    """Whether each partition has an owner of these members, and they have equally many, ± 1."""
    counts = dict.fromkeys(members, 0)
    for owner in owners.values():
        if owner not in counts:
            return False
        counts[owner] += 1
    return len(owners) == partitions and max(counts.values()) - min(counts.values()) <= 1


def event_times(
    reads: Reads,
    entries: Sequence[Entry],
    start_ns: int,
    member: str,
    partitions: int,
) -> EventTimes | None:
    """Times of an event; None if a partition has no final owner, or that has not read it.

    reads: Of all members, until the group has settled.
    entries: Of all journals since the group began, in order of time.
    start_ns: The event.
    member: The one that joins or goes.
    """
    before = owners_after(entry for entry in entries if entry["at_ns"] < start_ns)
    after = owners_after(entries)
    if len(before) < partitions or len(after) < partitions:
        return None
    ready = [_ready_ns(reads.of(p), entries, p, after[p], start_ns) for p in range(partitions)]
    if None in ready:
        return None
    later = [e for e in entries if e["at_ns"] > start_ns and e["member"] != member]
    revoked = [e["at_ns"] for e in later if e["what"] == REVOKED]
    pauses = {p: longest_pause(reads.of(p).at_ns, start_ns) for p in range(partitions)}
    moved = {p for p in pauses if before[p] != after[p]}
    since_ns = start_ns - round(CONTROL_S * 1e9)
    undisturbed = reads.at_ns[(reads.at_ns >= since_ns) & (reads.at_ns <= start_ns)]
    before_it = reads.partitions[(reads.at_ns >= since_ns) & (reads.at_ns <= start_ns)]
    return EventTimes(
        (max(at for at in ready if at is not None) - start_ns) / 1e9,
        (later[0]["at_ns"] - start_ns) / 1e9 if later else None,
        (revoked[-1] - start_ns) / 1e9 if revoked else None,
        {p: pauses[p] for p in sorted(moved)},
        {p: pauses[p] for p in sorted(set(pauses) - moved)},
        max(longest_pause(undisturbed[before_it == p], since_ns) for p in pauses),
        len({after[p] for p in moved}),
    )


def _ready_ns(
    reads: Reads, entries: Sequence[Entry], partition: int, owner: str, start_ns: int
) -> int | None:
    """When the final owner reads again: at once if it has never stopped; None for never."""
    tenures = [
        entry["at_ns"]
        for entry in entries
        if entry["what"] == ASSIGNED
        and entry["member"] == owner
        and partition in entry["partitions"]
    ]
    if tenures[-1] <= start_ns:
        return start_ns
    own = reads.at_ns[(reads.members == owner) & (reads.at_ns >= tenures[-1])]
    return int(own[0]) if own.size else None


def longest_pause(at_ns: NDArray[np.int64], since_ns: int) -> float:
    """Longest time between two reads of which the second is after this time, s; 0 without any."""
    gaps: Floats = np.diff(at_ns)[at_ns[1:] > since_ns] / 1e9
    return float(gaps.max()) if gaps.size else 0.0
