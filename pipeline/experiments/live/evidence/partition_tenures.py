"""Tenures: times in which one consumer processed a partition; and the gaps between them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pipeline.experiments.live.evidence.processed_records import ProcessedRecords


class Tenure(NamedTuple):
    """One epoch of a partition, with at least one record."""

    partition: int
    epoch: int
    consumer: int
    """`partition`, `epoch`, `consumer`: whose it is."""
    first_read_ns: int
    last_read_ns: int
    last_done_ns: int
    """`first_read_ns`, `last_read_ns`, `last_done_ns`: when the first and the last record were
    taken up, and when the last one was processed."""
    overlaps: bool = False
    """Whether it began before an earlier epoch of the partition had ended."""


class Gap(NamedTuple):
    """Time in which a partition that moved was not processed."""

    partition: int
    epoch: int
    """`partition`, `epoch`: the partition, and its epoch at the new consumer."""
    gap_s: float
    """From the last record at the old consumer to the first one at the new one, s; 0 if they
    overlap."""


def tenures(records: ProcessedRecords) -> list[Tenure]:
    """All tenures, by partition and epoch."""
    order = np.lexsort((records.read_ns, records.epoch, records.partition))
    ordered = records.at(order)
    if not ordered.size:
        return []
    is_new = (np.diff(ordered.partition) != 0) | (np.diff(ordered.epoch) != 0)
    starts = [0, *(np.flatnonzero(is_new) + 1).tolist()]
    done = np.maximum.reduceat(ordered.done_ns, starts)
    lasts = [*(start - 1 for start in starts[1:]), ordered.size - 1]
    listed: list[Tenure] = []
    end_ns = 0
    for first, last, done_ns in zip(starts, lasts, done.tolist(), strict=True):
        one = Tenure(
            int(ordered.partition[first]),
            int(ordered.epoch[first]),
            int(ordered.consumer[first]),
            int(ordered.read_ns[first]),
            int(ordered.read_ns[last]),
            done_ns,
        )
        is_first = not listed or listed[-1].partition != one.partition
        overlaps = not is_first and one.first_read_ns < end_ns
        end_ns = done_ns if is_first else max(end_ns, done_ns)
        listed.append(one._replace(overlaps=overlaps))
    return listed


def gaps(listed: Sequence[Tenure]) -> list[Gap]:
    """Gaps between tenures of different consumers, by partition and epoch."""
    return [
        Gap(new.partition, new.epoch, max(new.first_read_ns - old.last_read_ns, 0) / 1e9)
        for old, new in pairwise(listed)
        if old.partition == new.partition and old.consumer != new.consumer
    ]
