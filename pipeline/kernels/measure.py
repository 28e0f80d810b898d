"""Latency: blocks of rates and assignments to one row per stream and algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from algorithms import latency
from pipeline import arrow
from pipeline.kernels import BatchKernel, Workloads
from pipeline.kernels.pack import by_algorithm

ROWS_PER_BATCH = 500


def measure_latency(workloads: Workloads) -> BatchKernel:
    """Latency of each assignment sequence; rows of `latency` without what `streams` tells."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = []
        for rates, series in by_algorithm(batches):
            load = workloads[series.experiment]
            if series.cells is None:
                raise ValueError(f"{series.stream_id}, {series.algorithm}: lists differ in length")
            summary = latency.summarise(
                rates,
                series.cells,
                load.consumer_capacity,
                load.iteration_seconds,
                load.rebalance_seconds,
            )
            keys = {name: getattr(series, name) for name in _TEXTS}
            rows.append(keys | summary._asdict())
            if len(rows) == ROWS_PER_BATCH:
                yield _table(rows)
                rows = []
        if rows:
            yield _table(rows)

    return run


_TEXTS = ("stream_id", "experiment", "algorithm")


def _table(rows: list[dict[str, object]]) -> pa.RecordBatch:
    texts = {name: [row[name] for row in rows] for name in _TEXTS}
    counts = {
        name: pa.array([row[name] for row in rows], pa.int64())
        for name in ("n_samples", "n_positive")
    }
    numbers = {
        name: arrow.nullable([float(str(row[name])) for row in rows])
        for name in ("mean_consumers", "p50", "p90", "p99", "max")
    }
    bins = pa.array([row["histogram"] for row in rows], pa.list_(pa.int64()))
    return pa.RecordBatch.from_pydict({**texts, **counts, **numbers, "histogram": bins})
