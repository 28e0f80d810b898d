"""When which member of a group that asks had which partition, as its members noted it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
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
    """Owners from when a member gets a partition until it gives it away.

    Times are in s since the first iteration began. A member processes nothing while it gives
    partitions away, which takes `revoke_s`. One that was killed has its partitions until the last
    record that it processed.
    """
    noted: dict[tuple[int, int], list[Entry]] = defaultdict(list)
    for entry in folder.said("member"):
        if entry["kind"] in ("assigned", "revoked", "lost"):
            noted[entry["consumer"], entry["incarnation"]].append(entry)
    tenures = sorted(
        tenure for process, own in noted.items() for tenure in _tenures(folder, process, own)
    )
    for i, (one, after) in enumerate(pairwise(tenures)):
        if one.partition == after.partition:
            tenures[i] = one._replace(released_s=min(one.released_s, after.taken_s))
    columns = list(zip(*tenures, strict=True)) or [()] * len(_Tenure._fields)
    return Ownership(
        np.array(columns[0], np.int32),
        np.array(columns[2], np.int32),
        np.array(columns[1], np.float64),
        np.array(columns[3], np.float64),
    )


def _tenures(
    folder: RunFolder, process: tuple[int, int], noted: Sequence[Entry]
) -> Iterator[_Tenure]:
    """Tenures at a member's process. noted: What it noted of its partitions."""
    consumer, _ = process
    held: dict[int, float] = {}
    for entry in sorted(noted, key=lambda each: each["noted_ns"]):
        at_s = _seconds(folder, entry["noted_ns"])
        if entry["kind"] == "assigned":
            held |= {number: at_s for number in entry["partitions"] if number not in held}
            continue
        end_s = at_s - (folder.settings.revoke_s if entry["kind"] == "revoked" else 0.0)
        for number in held.keys() & entry["partitions"]:
            taken_s = held.pop(number)
            yield _Tenure(number, taken_s, consumer, max(end_s, taken_s))
    last_s = _last_s(folder, process)
    for number, taken_s in held.items():
        yield _Tenure(number, taken_s, consumer, max(last_s, taken_s))


def _last_s(folder: RunFolder, process: tuple[int, int]) -> float:
    """When a process had processed its last record; -inf without any."""
    records = folder.records
    own = (records.consumer == process[0]) & (records.incarnation == process[1])
    return _seconds(folder, int(records.done_ns[own].max())) if own.any() else -math.inf


def _seconds(folder: RunFolder, at_ns: int) -> float:
    return (at_ns - folder.settings.began_ns) / _NS
