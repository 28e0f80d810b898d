"""Stage `import_workloads`: recorded workloads instead of load profiles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from algorithms.core.seeds import derive_seed
from algorithms.workloads import partition_splits
from pipeline import traces
from pipeline.autoscaling.kernels.workload_kernel import measurements
from pipeline.config import split_field
from pipeline.errors import StageError
from pipeline.spark import arrow
from pipeline.spark.row_slices import sliced
from pipeline.storage import tables

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import SparkSession

    from pipeline.config.run_config import TraceSource, Unit
    from pipeline.config.scaling_experiment import ScalingExperiment
    from pipeline.runs.context import RunContext
    from pipeline.traces import Trace


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `streams` and `measurements` of a run over recorded workloads."""
    from pyspark.sql import functions as F

    sources = {source.stream_id: source for source in ctx.config.traces}
    specs, frames = [], []
    for experiment in ctx.config.autoscaling:
        trace = _load(sources[str(experiment.trace)])
        specs.append({"run_id": ctx.run_id, **_describe(experiment, trace, ctx.config.seed)})
        rows = _rows(experiment, specs[-1], trace)
        frames.append(arrow.frame(spark, rows).coalesce(max(1, rows["rates"].num_chunks)))
    streams = tables.of_rows(spark, specs, "streams")
    tables.write(spark, streams.coalesce(1), "streams", ctx.paths, ctx.run_id)
    measured = reduce(lambda left, right: left.unionByName(right), frames)
    measured = measured.withColumn("run_id", F.lit(ctx.run_id))
    tables.write(spark, measured, "measurements", ctx.paths, ctx.run_id)


def _load(source: TraceSource) -> Trace:
    recorded = source.reading.load(source.path)
    trace = traces.resampled(recorded, source.path, source.step_seconds)
    if trace.digest != source.digest:
        raise StageError(f"{source.path.name}: changed after the run was configured")
    return trace


def rates_of(experiment: ScalingExperiment, trace: Trace) -> NDArray[np.float64]:
    """Rates of partitions, float64[N, P] in events/s; an absent partition has none."""
    rates = np.nan_to_num(trace.rates, nan=0.0)
    if not trace.is_total:
        return rates
    total = rates[:, 0].copy()
    if experiment.last_rate is not None:
        total[-1] = experiment.last_rate
    how, weights = split_field.arguments(experiment.split)
    return partition_splits.split(
        total, experiment.partitions, how, weights, rounding=experiment.rounding
    )


def _describe(experiment: ScalingExperiment, trace: Trace, root: int) -> dict[str, object]:
    names = [str(p) for p in range(experiment.partitions)]
    return {
        "stream_id": f"{experiment.name}-r0001",
        "experiment": experiment.name,
        "source": "trace",
        "delta": None,
        "replicate": 1,
        "seed": derive_seed(root, "trace", trace.digest),
        "initial_rate": None,
        "partitions": names if trace.is_total else list(trace.partitions),
        "n_iterations": len(trace.rates),
        "capacity": experiment.mu,
        "consumer_capacity": experiment.mu,
        "name": trace.name,
        "digest": trace.digest,
    }


def _rows(experiment: ScalingExperiment, spec: dict[str, object], trace: Trace) -> pa.Table:
    import pyarrow as pa

    batch = measurements(str(spec["stream_id"]), experiment.name, rates_of(experiment, trace))
    return sliced(pa.Table.from_batches([batch]))
