"""Generated streams: rows of `streams` to rows of `measurements`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from algorithms.workloads import random_walk
from pipeline.experiments.assignment.kernels import Workload, Workloads
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import BatchKernel

MEASURED = arrow.contract("measurements", without=("run_id",))


def generate(workloads: Workloads) -> BatchKernel:
    """Rows of `streams` to rows of `measurements`, one batch per stream."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for spec in batch.to_pylist():
                yield _measure(spec, workloads[spec["experiment"]])

    return run


def _measure(spec: dict[str, object], load: Workload) -> pa.RecordBatch:
    start = spec["initial_rate"]
    n = int(str(spec["n_iterations"]))
    rates = random_walk.generate(
        partitions=int(str(spec["n_partitions"])),
        iterations=n,
        delta=float(str(spec["delta"])),
        capacity=load.capacity,
        initial_rate=None if start == "uniform" else float(str(start)),
        seed=int(str(spec["seed"])),
        clip=load.clip,
    )
    return pa.RecordBatch.from_pydict(
        {
            "stream_id": arrow.repeat(str(spec["stream_id"]), n),
            "experiment": arrow.repeat(str(spec["experiment"]), n),
            "delta": pa.array(np.full(n, spec["delta"], dtype=np.float64)),
            "iteration": np.arange(1, n + 1, dtype=np.int32),
            "rates": arrow.lists(rates, np.isnan(rates)),
        },
        schema=MEASURED,
    )
