"""Stage `import_traces`: recorded traces instead of generated streams."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from algorithms.core.seeds import derive_seed
from pipeline.base.errors import StageError
from pipeline.inputs import traces
from pipeline.inputs.traces import partition_layout, stream_columns
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.row_slices import sliced

if TYPE_CHECKING:
    from pipeline.inputs.traces import Trace
    from pipeline.settings.run_config import RunConfig
    from pipeline.settings.trace_source import TraceSource
    from pipeline.warehouse.runs.stage import Work

ROWS_PER_TASK = 5_000


def run(work: Work) -> dict[str, Any]:
    """Rows of `streams` and `measurements`."""
    specs, frames = [], []
    for number, source in enumerate(work.config.traces, start=1):
        recorded = traces.read(source.path, source.reading)
        trace = traces.resampled(recorded, source.path, source.step_seconds)
        if trace.digest != source.digest:
            raise StageError(f"{source.path.name}: changed after the run was configured")
        specs.append(_describe(work.config, source, number, trace))
        rows = sliced(_measurements(work.config, source.stream_id, trace))
        tasks = max(rows["rates"].num_chunks, 1 + rows.num_rows // ROWS_PER_TASK)
        frames.append(arrow.frame(work.spark, rows).coalesce(tasks))
    measured = reduce(lambda left, right: left.unionByName(right), frames)
    return {"streams": specs, "measurements": measured}


def _describe(
    config: RunConfig, source: TraceSource, number: int, trace: Trace
) -> dict[str, object]:
    experiment = config.experiments[0]
    return {
        "stream_id": source.stream_id,
        "experiment": experiment.name,
        "source": "trace",
        "delta": None,
        "replicate": number,
        # The online algorithms shuffle by it: the same trace is always shuffled the same way.
        "seed": derive_seed(config.seed, "trace", trace.digest),
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


def _measurements(config: RunConfig, stream_id: str, trace: Trace) -> pa.Table:
    n = len(trace.rates)
    return pa.table(
        {
            "experiment": pa.array([config.experiments[0].name] * n, pa.string()),
            "delta": pa.nulls(n, pa.float64()),
            "stream_id": pa.array([stream_id] * n, pa.string()),
            "iteration": pa.array(np.arange(1, n + 1), pa.int32()),
            "rates": arrow.lists(trace.rates, np.isnan(trace.rates)),
        }
    )
