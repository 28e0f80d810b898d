"""When which member of a group that asks had which partition, as its members noted it."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from algorithms.simulation.queue_replay import Ownership
from pipeline.experiments.live.evidence.run_folder import Entry, RunFolder

_NS = 1e9


class _Tenure(NamedTuple):
    """A partition at a member, s since the first iteration began."""

    partition: int
    taken_s: float
    consumer: int
    released_s: float


def are_noted(folder: RunFolder) -> bool:
    """Whether the group asks for its placements; its members then note when they have what."""
    return any(entry["kind"] == "asked" for entry in folder.said("member"))


def ownership(folder: RunFolder) -> Ownership:
    """Owners from one assignment to the next, s since the first iteration began.

    A member processes nothing while it gives partitions away, which takes `revoke_s`. One that was
    killed has its partitions until the last record that it processed.
    """
    tenures: list[_Tenure] = []
    for own in _by_process(folder).values():
        for entry, after in zip(own, [*own[1:], None], strict=True):
            if entry["kind"] == "assigned":
                taken_s, end_s = _seconds(folder, entry["noted_ns"]), _end_s(folder, entry, after)
                tenures += [
                    _Tenure(partition, taken_s, entry["consumer"], max(end_s, taken_s))
                    for partition in entry["partitions"]
                ]
    tenures.sort()
    for i in range(len(tenures) - 1):
        one, after = tenures[i], tenures[i + 1]
        if one.partition == after.partition:
            tenures[i] = one._replace(released_s=min(one.released_s, after.taken_s))
    partition, taken_s, consumer, released_s = (
        zip(*tenures, strict=True) if tenures else ((), (), (), ())
    )
    return Ownership(
        np.array(partition, np.int32),
        np.array(consumer, np.int32),
        np.array(taken_s, np.float64),
        np.array(released_s, np.float64),
    )


def _by_process(folder: RunFolder) -> dict[tuple[int, int], list[Entry]]:
    """What each member's process noted of its partitions, in order."""
    noted: dict[tuple[int, int], list[Entry]] = defaultdict(list)
    for entry in folder.said("member"):
        if entry["kind"] in ("assigned", "revoked", "lost"):
            noted[entry["consumer"], entry["incarnation"]].append(entry)
    return {key: sorted(own, key=lambda each: each["noted_ns"]) for key, own in noted.items()}


def _end_s(folder: RunFolder, entry: Entry, after: Entry | None) -> float:
    """When a member had processed the last record of what it was assigned."""
    if after is not None:
        gives_away = folder.settings.revoke_s if after["kind"] == "revoked" else 0.0
        return _seconds(folder, after["noted_ns"]) - gives_away
    records = folder.records
    own = (records.consumer == entry["consumer"]) & (records.incarnation == entry["incarnation"])
    return _seconds(folder, int(records.done_ns[own].max(initial=entry["noted_ns"])))


def _seconds(folder: RunFolder, at_ns: int) -> float:
    return (at_ns - folder.settings.began_ns) / _NS
