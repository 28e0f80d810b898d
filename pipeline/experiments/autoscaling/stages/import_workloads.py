"""Stage `import_workloads`: recorded workloads instead of load profiles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.workloads import partition_splits
from pipeline.base.errors import StageError
from pipeline.experiments.autoscaling.kernels.workload_kernel import measurements
from pipeline.experiments.autoscaling.workloads import recorded_workloads
from pipeline.experiments.autoscaling.workloads.workload import Workload
from pipeline.inputs import traces
from pipeline.inputs.traces import stream_columns
from pipeline.inputs.traces.partition_layout import Topic
from pipeline.settings import split_field
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.row_slices import sliced
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.settings.scaling_experiment import ScalingExperiment
    from pipeline.settings.trace_source import TraceSource
    from pipeline.warehouse.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `streams` and `measurements` of a run over recorded workloads."""
    from pyspark.sql import functions as F

    sources = {source.stream_id: source for source in ctx.config.traces}
    specs, frames = [], []
    for experiment in ctx.config.autoscaling:
        workload = workload_of(experiment, sources[str(experiment.trace)])
        specs.append({"run_id": ctx.run_id, **_describe(experiment, workload, ctx.config.seed)})
        rows = _rows(experiment, specs[-1], workload.rates)
        frames.append(arrow.frame(spark, rows).coalesce(max(1, rows["rates"].num_chunks)))
    streams = tables.of_rows(spark, specs, "streams")
    tables.write(spark, streams.coalesce(1), "streams", ctx.paths, ctx.run_id)
    measured = reduce(lambda left, right: left.unionByName(right), frames)
    measured = measured.withColumn("run_id", F.lit(ctx.run_id))
    tables.write(spark, measured, "measurements", ctx.paths, ctx.run_id)


def workload_of(experiment: ScalingExperiment, source: TraceSource) -> Workload:
    """The recorded workload of an experiment, in recorded steps.

    Raises
    ------
    StageError
        If the file has changed since the run was configured.
    """
    recorded = source.reading.load(source.path)
    trace = traces.resampled(recorded, source.path, source.step_seconds)
    if trace.digest != source.digest:
        raise StageError(f"{source.path.name}: changed after the run was configured")
    workload = recorded_workloads.laid_out(source.path, recorded, trace, experiment.step_s)
    if not trace.is_total:
        return workload
    rates = _split(experiment, workload.rates[:, 0])
    return workload._replace(rates=rates, topics=())


def _split(experiment: ScalingExperiment, total: Floats) -> Floats:
    if experiment.last_rate is not None:
        total = np.append(total[:-1], experiment.last_rate)
    how, weights = split_field.arguments(experiment.split)
    return partition_splits.split(
        total, experiment.partitions, how, weights, rounding=experiment.rounding
    )


def _describe(experiment: ScalingExperiment, workload: Workload, root: int) -> dict[str, object]:
    return {
        "stream_id": f"{experiment.name}-r0001",
        "experiment": experiment.name,
        "source": "trace",
        "delta": None,
        "replicate": 1,
        # As in other commands: the only stream of a file has the seed that the user sets.
        "seed": root,
        "initial_rate": None,
        "partitions": list(workload.labels),
        "n_iterations": len(workload.rates),
        "capacity": experiment.mu,
        "consumer_capacity": experiment.mu,
        "name": workload.name,
        "digest": workload.digest,
        **stream_columns.described(
            workload.topics or (Topic("", experiment.partitions),),
            step_s=experiment.step_s,
            unit=workload.unit,
            started_at=workload.started_at,
        ),
    }


def _rows(experiment: ScalingExperiment, spec: dict[str, object], rates: Floats) -> pa.Table:
    import pyarrow as pa

    batch = measurements(str(spec["stream_id"]), experiment.name, rates)
    return sliced(pa.Table.from_batches([batch]))
