"""Stage `score`: CBS (Eq. 28) and mean Rscore (Eq. 29) per stream and algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline import tables
from pipeline.kernels.means import NUMBERS, SCORES, score
from pipeline.stages import blocks
from pipeline.stages.base import mapped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.config import Unit
    from pipeline.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `scores` of the run; it is not split into units.

    An iteration without partitions needs no consumer under any algorithm: its deviation
    counts as 0.
    """
    from pyspark.sql import functions as F

    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    described = streams.select("stream_id", "delta", "replicate", "initial_rate")
    means = mapped(blocks.of_numbers(spark, ctx, NUMBERS), score, SCORES)
    rows = means.join(F.broadcast(described), "stream_id").withColumn("run_id", F.lit(ctx.run_id))
    # Fewer rows than before, in one file; `coalesce` would have one task do all of the work.
    rows = rows.repartition(1)
    tables.write(spark, rows, "scores", ctx.paths, ctx.run_id)
