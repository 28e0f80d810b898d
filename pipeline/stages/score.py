"""Stage `score`: CBS (Eq. 28) and mean Rscore (Eq. 29) per stream and algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from algorithms import registry
from pipeline import tables

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from pipeline.config import Unit
    from pipeline.context import RunContext

EXACT = "decimal(38,18)"


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `scores` of the run; it is not split into units."""
    from pyspark.sql import functions as F

    assignments = tables.read(spark, "assignments", ctx.paths, ctx.run_id)
    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    described = streams.select("stream_id", "delta", "replicate", "initial_rate")
    rows = score(assignments).join(F.broadcast(described), "stream_id")
    rows = rows.withColumn("run_id", F.lit(ctx.run_id)).coalesce(1)
    tables.write(spark, rows, "scores", ctx.paths, ctx.run_id)


def score(assignments: DataFrame) -> DataFrame:
    """Means over iterations, per stream and algorithm.

    An iteration without partitions needs no consumer under any algorithm: its deviation
    counts as 0.
    """
    from pyspark.sql import functions as F

    fewest = F.col("min_consumers")
    above = (F.col("n_consumers") - fewest) / F.when(fewest > 0, fewest)
    grouped = assignments.groupBy("stream_id", "experiment", "algorithm")
    means = grouped.agg(
        F.count("*").cast("int").alias("n_iterations"),
        _mean(F.col("n_consumers")).alias("mean_consumers"),
        _mean(F.coalesce(above, F.lit(0.0))).alias("cbs"),
        _mean(F.col("rscore")).alias("mean_rscore"),
        _mean(F.col("n_migrations")).alias("mean_migrations"),
    )
    return means.withColumn("reference", F.col("algorithm").isin(*registry.reference_set()))


def _mean(values: Column) -> Column:
    """Mean that does not depend on the order in which Spark meets the rows.

    A sum of doubles does, in its last bits; a sum of decimals is exact.
    """
    from pyspark.sql import functions as F

    return F.sum(values.cast(EXACT)).cast("double") / F.count("*")
