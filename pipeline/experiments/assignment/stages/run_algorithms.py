"""Stage `run_algorithms`: every algorithm of an experiment over each of its streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.assignment import registry
from pipeline.experiments.assignment.kernels.assignment_kernel import ASSIGNED, assign
from pipeline.experiments.assignment.stages import stream_blocks
from pipeline.experiments.assignment.stages.work_units import workloads
from pipeline.inputs.traces import trace_topics
from pipeline.warehouse.spark.stream_tasks import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.inputs.traces.trace_topics import Topics
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, streams: DataFrame, measurements: DataFrame) -> DataFrame:
    """Rows of `assignments`.

    The iterations of a stream are a fold, because an assignment depends on the one before;
    all algorithms of a stream run in one task, because CBS compares them by iteration.
    """
    kernel = assign(workloads(work.config), _topics(work, streams))
    return mapped(stream_blocks.of_rates(work, streams, measurements), kernel, ASSIGNED)


def _topics(work: Work, streams: DataFrame) -> dict[str, Topics]:
    """Topics of recorded streams, by stream, if an algorithm depends on them."""
    names = {name for experiment in work.config.experiments for name in experiment.algorithms}
    if not work.config.traces or not any(registry.get(name).by_topic for name in names):
        return {}
    rows = streams.select("stream_id", "partitions").toArrow().to_pylist()
    return {row["stream_id"]: trace_topics.of(row["partitions"]) for row in rows}
