"""Counts of records that got lost, came again or changed their order: rows of `broker_runs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.arrays import Longs
from algorithms.inference.lost_share import lost_high
from pipeline.experiments.brokers.evidence.broker_evidence import Evidence, Records

Row = dict[str, Any]


class Counts(NamedTuple):
    """Records of one kind of producers."""

    acknowledged: int
    lost: int
    repeated: int
    disordered: int


def rows(evidence: Evidence) -> Iterator[Row]:
    """A row per kind of producers."""
    for kind, sent in evidence.sent.items():
        counts = counted(sent, evidence.read[kind])
        yield {
            "producers": kind,
            "drained": bool(evidence.ended["drained"]),
            "late_sends": int(evidence.ended["late"]),
            "refused": int(evidence.ended["refused"]),
            **counts._asdict(),
            "lost_high": lost_high(counts.lost, counts.acknowledged),
        }


def counted(sent: Records, read: Records) -> Counts:
    """Compare acknowledged records with those that were read. O(n log n)."""
    acknowledged = np.unique(_keys(sent))
    came = _keys(read)
    firsts = np.unique(came, return_index=True)[1]
    lost = len(np.setdiff1d(acknowledged, came, assume_unique=False))
    # Order counts among first readings, in the order in which they were read.
    ordered = read[np.sort(firsts)]
    return Counts(len(acknowledged), lost, len(came) - len(firsts), _disordered(ordered))


def _keys(records: Records) -> Longs:
    """Partition and sequence as one number."""
    keys: Longs = records["partition"].astype(np.int64) << 48 | records["sequence"]
    return keys


def _disordered(read: Records) -> int:
    """Records that come after a later one of their partition."""
    count = 0
    for partition in np.unique(read["partition"]):
        sequences = read["sequence"][read["partition"] == partition]
        count += int((sequences < np.maximum.accumulate(sequences)).sum())
    return count
