"""Whether every record of each partition was processed once and in order."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Longs
from pipeline.experiments.live.evidence import partition_tenures
from pipeline.experiments.live.evidence.processed_records import ProcessedRecords
from pipeline.experiments.live.evidence.run_folder import RunFolder


class Integrity(NamedTuple):
    """What became of a partition's records."""

    partition: int
    """Its number."""
    sent: int
    """Records that the producer has sent."""
    read: int
    """Different records that were processed."""
    lost: int
    """Records up to the last progress that were not processed."""
    twice: int
    """Times that a record was processed again."""
    out_of_order: int
    """Records that were first processed after one with a higher number."""
    overlapping_epochs: int
    """Epochs in which a record was taken up before the epoch before had ended."""
    epochs: int
    """Epochs in which a record was processed."""
    owner_changes: int
    """Starts at another consumer than the one before."""
    longest_gap_s: float | None
    """Longest time from the last record at one consumer to the first at the next one, s; None where
    no record was processed at a second consumer."""


def integrity(folder: RunFolder) -> list[Integrity]:
    """Integrity of every partition, in their order."""
    sent = folder.producer["sent_by_partition"]
    drained = bool(folder.run["drained"])
    tenures = partition_tenures.tenures(folder.records)
    gaps = partition_tenures.gaps(tenures)
    changes = owner_changes(folder)
    order = np.lexsort((folder.records.read_ns, folder.records.partition))
    records = folder.records.at(order)
    partitions = []
    for partition in range(folder.settings.partitions):
        own = records.at(records.partition == partition)
        # Progress is written after the evidence, so it ends at the last record, or at the end.
        end = sent[partition] if drained else _end(own)
        read = len(np.unique(own.sequence))
        partitions.append(
            Integrity(
                partition,
                sent[partition],
                read,
                _lost(own, end),
                own.size - read,
                _out_of_order(own.sequence),
                sum(t.overlaps for t in tenures if t.partition == partition),
                sum(t.partition == partition for t in tenures),
                changes.get(partition, 0),
                max((gap.gap_s for gap in gaps if gap.partition == partition), default=None),
            )
        )
    return partitions


def owner_changes(folder: RunFolder) -> dict[int, int]:
    """Starts of each partition at another consumer than the one before, by partition.

    They are those that consumers have answered to the controller, or that members of one of Kafka's
    own groups have noted when they were assigned partitions. Such a group changes while its first
    members join, which does not count: the run has not begun then.
    """
    owners: dict[int, dict[int, int]] = {}
    for entry in folder.said("heard"):
        if entry["kind"] == "started":
            owners.setdefault(entry["partition"], {})[entry["epoch"]] = entry["consumer"]
    assigned = [entry for entry in folder.said("member") if entry["kind"] == "assigned"]
    for entry in sorted(assigned, key=lambda entry: int(entry["epoch"])):
        for partition in entry["partitions"]:
            before = owners.setdefault(partition, {})
            if entry["noted_ns"] < folder.settings.began_ns:
                before.clear()
            before[entry["epoch"]] = entry["consumer"]
    changes = {}
    for partition, by_epoch in owners.items():
        listed = [by_epoch[epoch] for epoch in sorted(by_epoch)]
        changes[partition] = sum(old != new for old, new in pairwise(listed))
    return changes


def _end(records: ProcessedRecords) -> int:
    return int(records.sequence.max()) + 1 if records.size else 0


def _lost(records: ProcessedRecords, end: int) -> int:
    there = np.zeros(end, np.bool_)
    there[records.sequence[records.sequence < end]] = True
    return end - int(there.sum())


def _out_of_order(sequences: Longs) -> int:
    """Records below an earlier one, not counting those that were processed before."""
    if not len(sequences):
        return 0
    _, first = np.unique(sequences, return_index=True)
    ordered = sequences[np.sort(first)]
    return int((ordered < np.maximum.accumulate(ordered)).sum())
