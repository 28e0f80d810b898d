"""Lag, owner and speed of each partition of a live run, second by second."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from algorithms.core.arrays import Ints, Longs
from pipeline.experiments.live.evidence.processed_records import ProcessedRecords, first_reads
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.evidence.served_records import completion_times
from pipeline.experiments.live.predictions.owner_history import NOBODY, ownership
from pipeline.experiments.live.predictions.queue_prediction import sent_records
from pipeline.warehouse.spark import arrow

LAG = arrow.contract("live_lag", without=("run_id", "experiment", "stream_id", "strategy"))


def lag(folder: RunFolder) -> pa.Table:
    """Rows of `live_lag` without the names of run, stream and strategy."""
    settings = folder.settings
    seconds = np.arange(1, math.floor(settings.iterations * settings.iteration_s) + 1)
    shape = (len(seconds), settings.partitions)
    due_ns, partitions = sent_records(folder)
    records = first_reads(folder.records)
    end = _counts(due_ns, partitions, seconds, settings.partitions)
    done_ns = records.done_ns - settings.began_ns
    processed = _counts(done_ns, records.partition, seconds, settings.partitions)
    left = np.maximum(end - processed, 0)
    owners = _owners(folder, seconds)
    # A second that ends an iteration belongs to it.
    numbers = np.ceil(seconds / settings.iteration_s).astype(np.int64) - 1
    measured, longest = _measured(folder, seconds), _longest(folder, records, seconds)
    columns = {
        "second": np.repeat(seconds.astype(np.int32), settings.partitions),
        "partition": np.tile(np.arange(settings.partitions, dtype=np.int32), len(seconds)),
        "end_offset": end.ravel(),
        "processed": processed.ravel(),
        "lag": left.ravel(),
        "lag_bytes": (left * settings.record_bytes).ravel(),
        "owner": pa.array(owners.ravel(), mask=(owners == NOBODY).ravel()),
        "speed": folder.rates[numbers].reshape(shape).ravel(),
        "measured_speed": pa.array(measured.ravel(), mask=np.isnan(measured).ravel()),
        "longest_s": pa.array(longest.ravel(), mask=np.isnan(longest).ravel()),
    }
    return pa.table(columns, schema=LAG)


def _counts(times_ns: Longs, partitions: Ints, seconds: Longs, width: int) -> Longs:
    """Records of each partition up to each second, ``int64[seconds, P]``."""
    counts = np.zeros((len(seconds), width), np.int64)
    for partition in range(width):
        own = np.sort(times_ns[partitions == partition])
        counts[:, partition] = np.searchsorted(own, seconds * 10**9, side="right")
    return counts


def _owners(folder: RunFolder, seconds: Longs) -> Ints:
    """Owner of each partition at each second, -1 for none, ``int32[seconds, P]``."""
    owners = np.full((len(seconds), folder.settings.partitions), NOBODY, np.int32)
    for partition, consumer, taken, released in zip(*ownership(folder), strict=True):
        owners[(seconds >= taken) & (seconds < released), partition] = consumer
    return owners


def _measured(folder: RunFolder, seconds: Longs) -> NDArray[np.float64]:
    """Last measured speeds at each second, NaN before, ``float64[seconds, P]``."""
    speeds = np.full((len(seconds), folder.settings.partitions), np.nan)
    for entry in folder.measurements:
        later = seconds * 10**9 >= entry["at_ns"] - folder.settings.began_ns
        for partition, speed in entry["speeds"].items():
            speeds[later, int(partition)] = max(float(speed), 0.0)
    return speeds


def _longest(folder: RunFolder, records: ProcessedRecords, seconds: Longs) -> NDArray[np.float64]:
    """Longest completion of records due within each second, NaN without, `float64[seconds, P]`."""
    longest = np.full((len(seconds), folder.settings.partitions), np.nan)
    # A record that is due as a second ends belongs to it, as in `_counts`.
    place = -(-(records.due_ns - folder.settings.began_ns) // 10**9) - 1
    is_inside = (place >= 0) & (place < len(seconds))
    inside = records.at(is_inside)
    np.fmax.at(longest, (place[is_inside], inside.partition), completion_times(inside))
    return longest
