"""Assignments: blocks of rates to rows of `assignments`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa

from algorithms.scores import sweep
from pipeline.experiments.assignment.kernels import Workload, Workloads
from pipeline.experiments.assignment.kernels.row_blocks import Series, unpack
from pipeline.inputs.traces.trace_topics import Topics
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import BatchKernel

ASSIGNED = arrow.contract("assignments", without=("run_id",))


def assign(workloads: Workloads, topics: Mapping[str, Topics] | None = None) -> BatchKernel:
    """Rates of whole streams to their assignments under every algorithm.

    One batch per stream and algorithm. All algorithms of a stream run before the first batch,
    because each row has the fewest consumers that any of them needs. `topics` are those of recorded
    streams, by stream.
    """
    by_stream = topics or {}

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for stream in unpack(batches):
            load = workloads[stream.experiment]
            yield from _assigned(stream, load, by_stream.get(stream.stream_id))

    return run


def _assigned(stream: Series, load: Workload, topics: Topics | None) -> Iterator[pa.RecordBatch]:
    rates, seed = stream.cells, stream.seed
    if rates is None or seed is None:
        raise ValueError(f"stream {stream.stream_id}: no seed, or rates that differ in length")
    results = {
        name: sweep.run(name, rates, load.capacity, seed, topics) for name in load.algorithms
    }
    counts = {name: result.n_consumers for name, result in results.items()}
    fewest = sweep.reference_minimum(rates, load.capacity, seed, counts)
    for name, result in results.items():
        yield _rows(stream, name, result, fewest)


def _rows(
    stream: Series, name: str, result: sweep.SweepResult, fewest: np.ndarray
) -> pa.RecordBatch:
    iterations = stream.numbers["iteration"]
    n = len(iterations)
    return pa.RecordBatch.from_pydict(
        {
            "stream_id": arrow.repeat(stream.stream_id, n),
            "experiment": arrow.repeat(stream.experiment, n),
            "delta": pa.array([stream.delta], pa.float64()).take(np.zeros(n, np.int32)),
            "iteration": iterations,
            "algorithm": arrow.repeat(name, n),
            "n_consumers": result.n_consumers,
            "n_migrations": result.n_migrations,
            "rscore": result.rscore,
            "min_consumers": fewest,
            "consumers": arrow.lists(result.consumers, result.consumers < 0),
        },
        schema=ASSIGNED,
    )
