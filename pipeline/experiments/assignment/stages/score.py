"""Stage `score`: CBS (Eq. 28), mean Rscore (Eq. 29) and distances from bounds.

All are per stream and algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.experiments.assignment.kernels.gaps_kernel import KEYS, MEASURED_GAPS, measure_gaps
from pipeline.experiments.assignment.kernels.scores_kernel import NUMBERS, PER_DAY, SCORES, score
from pipeline.experiments.assignment.stages import stream_blocks
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import mapped
from pipeline.warehouse.storage import tables
from schemas.tables.assignment.scores import GAPS

DAY_S = 86_400.0

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `scores` of the run; it is not split into units.

    An iteration without partitions needs no consumer under any algorithm: its deviation
    counts as 0.
    """
    from pyspark.sql import functions as F

    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    described = streams.select("stream_id", "delta", "replicate", "initial_rate")
    means = mapped(stream_blocks.of_numbers(spark, ctx, NUMBERS), score, SCORES)
    rows = means.join(F.broadcast(described), "stream_id").withColumn("run_id", F.lit(ctx.run_id))
    rows = with_gaps(spark, ctx, rows.withColumn(PER_DAY, _rebalances_per_day(ctx)))
    # Fewer rows than before, in one file; `coalesce` would have one task do all of the work.
    rows = rows.repartition(1)
    tables.write(spark, rows, "scores", ctx.paths, ctx.run_id)


def _rebalances_per_day(ctx: RunContext) -> Column:
    """Iterations with a move per day, by the length of each experiment's iterations."""
    from pyspark.sql import functions as F

    per_day = [
        F.when(F.col("experiment") == e.name, F.lit(DAY_S / e.iteration_seconds))
        for e in ctx.config.experiments
    ]
    return F.col("moving_share") * F.coalesce(*per_day)


def with_gaps(spark: SparkSession, ctx: RunContext, scores: DataFrame) -> DataFrame:
    """Scores with distances from the run's bounds, null where there are none."""
    from pyspark.sql import functions as F

    if not ctx.config.has_bounds:
        return scores.withColumns({name: F.lit(None).cast("double") for name in GAPS})
    rows = _beside_bounds(spark, ctx).groupBy(*KEYS)
    gaps = rows.applyInArrow(measure_gaps, arrow.struct(MEASURED_GAPS))
    return scores.join(F.broadcast(gaps), [*KEYS], "left")


def _beside_bounds(spark: SparkSession, ctx: RunContext) -> DataFrame:
    """Values of every algorithm at each sampled iteration, joined with its bounds."""
    from pyspark.sql import functions as F

    every = tables.read(spark, "bounds", ctx.paths, ctx.run_id)
    ends = {"consumers": "fewest", "rscore": "least"}
    fewest, least = (
        every.where(F.col("kind") == kind).select(
            "stream_id",
            "iteration",
            *(["algorithm"] if kind == "rscore" else []),
            F.col("lower").alias(f"{name}_lower"),
            F.col("upper").alias(f"{name}_upper"),
        )
        for kind, name in ends.items()
    )
    numbers = ("stream_id", "algorithm", "iteration", "n_consumers", "rscore")
    assignments = tables.read(spark, "assignments", ctx.paths, ctx.run_id).select(*numbers)
    place = ["stream_id", "iteration"]
    return assignments.join(F.broadcast(fewest), place).join(
        F.broadcast(least), [*place, "algorithm"], "left"
    )
