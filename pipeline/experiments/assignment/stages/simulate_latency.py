"""Stage `simulate_latency`: latency of every assignment sequence (Section VI-C)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.experiments.assignment.kernels.latency_kernel import LATENCIES, measure_latency
from pipeline.experiments.assignment.kernels.row_blocks import OF_STREAMS
from pipeline.experiments.assignment.stages import stream_blocks
from pipeline.experiments.assignment.stages.work_units import workloads
from pipeline.warehouse.spark.stream_tasks import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.warehouse.runs.stage import Work


def run(
    work: Work, streams: DataFrame, measurements: DataFrame, assignments: DataFrame
) -> DataFrame:
    """Rows of `latency`."""
    from pyspark.sql import functions as F

    described = streams.select("stream_id", *OF_STREAMS)
    pairs = stream_blocks.of_assignments(work, streams, measurements, assignments)
    summaries = mapped(pairs, measure_latency(workloads(work.config)), LATENCIES)
    # `coalesce` would have one task do all of the work.
    return summaries.join(F.broadcast(described), "stream_id").repartition(1)
