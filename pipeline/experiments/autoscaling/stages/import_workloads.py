"""Stage `import_workloads`: recorded workloads instead of load profiles."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    import pyarrow as pa

    from pipeline.settings.scaling_experiment import ScalingExperiment
    from pipeline.settings.trace_source import TraceSource
    from pipeline.warehouse.runs.stage import Work


def run(work: Work) -> dict[str, Any]:
    """Rows of `streams` and `measurements`."""
    sources = {source.stream_id: source for source in work.config.traces}
    specs, frames = [], []
    for experiment in work.config.autoscaling:
        workload = workload_of(experiment, sources[str(experiment.trace)])
        specs.append(_describe(experiment, workload, work.config.seed))
        rows = _rows(experiment, specs[-1], workload.rates)
        frames.append(arrow.frame(work.spark, rows).coalesce(max(1, rows["rates"].num_chunks)))
    measured = reduce(lambda left, right: left.unionByName(right), frames)
    return {"streams": specs, "measurements": measured}


def workload_of(experiment: ScalingExperiment, source: TraceSource) -> Workload:
    """The recorded workload of an experiment, in recorded steps.

    Raises
    ------
    StageError
        If the file has changed since the run was configured.
    """
    recorded = traces.read(source.path, source.reading)
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
