"""Stage `import_traces`: recorded traces instead of generated streams."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from algorithms.core.seeds import derive_seed
from pipeline.base.errors import StageError
from pipeline.inputs import traces
from pipeline.inputs.traces import partition_layout, stream_columns
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.row_slices import sliced
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.inputs.traces import Trace
    from pipeline.settings.run_config import Unit
    from pipeline.settings.trace_source import TraceSource
    from pipeline.warehouse.runs.context import RunContext

ROWS_PER_TASK = 5_000


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `streams` and `measurements` of a run over recorded traces."""
    specs, frames = [], []
    for number, source in enumerate(ctx.config.traces, start=1):
        recorded = source.reading.load(source.path)
        trace = traces.resampled(recorded, source.path, source.step_seconds)
        if trace.digest != source.digest:
            raise StageError(f"{source.path.name}: changed after the run was configured")
        specs.append(_describe(ctx, source, number, trace))
        rows = sliced(_measurements(ctx, source.stream_id, trace))
        tasks = max(rows["rates"].num_chunks, 1 + rows.num_rows // ROWS_PER_TASK)
        frames.append(arrow.frame(spark, rows).coalesce(tasks))
    streams = tables.of_rows(spark, specs, "streams")
    tables.write(spark, streams.coalesce(1), "streams", ctx.paths, ctx.run_id)
    measured = reduce(lambda left, right: left.unionByName(right), frames)
    tables.write(spark, measured, "measurements", ctx.paths, ctx.run_id)


def _describe(ctx: RunContext, source: TraceSource, number: int, trace: Trace) -> dict[str, object]:
    experiment = ctx.config.experiments[0]
    return {
        "run_id": ctx.run_id,
        "stream_id": source.stream_id,
        "experiment": experiment.name,
        "source": "trace",
        "delta": None,
        "replicate": number,
        # The online algorithms shuffle by it: the same trace is always shuffled the same way.
        "seed": derive_seed(ctx.config.seed, "trace", trace.digest),
        "initial_rate": None,
        "partitions": list(trace.partitions),
        "n_iterations": len(trace.rates),
        "capacity": experiment.capacity,
        "consumer_capacity": experiment.consumer_capacity,
        "name": trace.name,
        "digest": trace.digest,
        **stream_columns.described(
            partition_layout.named_topics(trace.partitions),
            source.step_seconds or experiment.iteration_seconds,
            stream_columns.unit_of(source.unit, stream_columns.BYTES),
            source.started_at,
        ),
    }


def _measurements(ctx: RunContext, stream_id: str, trace: Trace) -> pa.Table:
    n = len(trace.rates)
    return pa.table(
        {
            "run_id": pa.array([ctx.run_id] * n, pa.string()),
            "experiment": pa.array([ctx.config.experiments[0].name] * n, pa.string()),
            "delta": pa.nulls(n, pa.float64()),
            "stream_id": pa.array([stream_id] * n, pa.string()),
            "iteration": pa.array(np.arange(1, n + 1), pa.int32()),
            "rates": arrow.lists(trace.rates, np.isnan(trace.rates)),
        }
    )
