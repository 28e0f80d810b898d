"""Latencies of the records of a run, as numbers of one row."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.scores.latency_model import HISTOGRAM_EDGES
from pipeline.experiments.live.evidence.processed_records import ProcessedRecords, first_reads
from pipeline.experiments.live.evidence.run_folder import RunFolder

PERCENTS = (50.0, 90.0, 99.0)


class LatencySample(NamedTuple):
    """Latency of a run's records."""

    n_samples: int
    """Records."""
    n_positive: int
    """Those with a latency above 0."""
    p50: float
    p90: float
    p99: float
    max: float
    """`p50`, `p90`, `p99`, `max`: percentiles of all records, those without latency included, s.
    NaN without any."""
    histogram: Longs
    """Records with a latency above 0, in the bins of
    `algorithms.scores.latency_model.HISTOGRAM_EDGES`."""


def summarise(latencies: Floats) -> LatencySample:
    """Summarise latencies, ``float64[n]``, s; a negative one counts as 0."""
    waits = np.maximum(latencies, 0.0)
    positive = waits[waits > 0.0]
    # A bin includes its upper end.
    bins = np.searchsorted(HISTOGRAM_EDGES, positive, side="left") - 1
    p50, p90, p99 = np.percentile(waits, PERCENTS) if len(waits) else (math.nan,) * 3
    return LatencySample(
        len(waits),
        len(positive),
        float(p50),
        float(p90),
        float(p99),
        float(waits.max()) if len(waits) else math.nan,
        np.bincount(bins, minlength=len(HISTOGRAM_EDGES) - 1).astype(np.int64),
    )


def compared_records(folder: RunFolder) -> ProcessedRecords:
    """First reads of the records that are due in iterations that count; see `is_compared`."""
    records = first_reads(folder.records)
    return records.at(is_in(folder, records.due_ns, folder.is_compared))


def is_in(folder: RunFolder, due_ns: Longs, iterations: Bools) -> Bools:
    """Whether each due time is in one of some iterations, ``bool[N]``."""
    number = folder.iterations_of(due_ns)
    exists = (number >= 0) & (number < len(iterations))
    inside: Bools = exists & iterations[np.where(exists, number, 0)]
    return inside


def latencies(records: ProcessedRecords) -> Floats:
    """Time from when each record was due to its uptake, s: without its service, as in the model."""
    seconds: Floats = (records.read_ns - records.due_ns) / 1e9
    return seconds
