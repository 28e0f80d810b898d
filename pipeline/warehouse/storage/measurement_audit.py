"""Audit frame of table `measurements`, which several families write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.base.paths import Paths


def frame(spark: SparkSession, paths: Paths, run_id: str) -> DataFrame:
    """Counts per stream, from one pass over the rows of the run."""
    from pyspark.sql import functions as F

    streams = tables.read(spark, "streams", paths, run_id)
    widths = F.broadcast(streams.select("stream_id", F.size("partitions").alias("width")))
    rows = tables.read(spark, "measurements", paths, run_id)
    # A NaN is above all other numbers.
    invalid = F.expr("size(filter(rates, r -> r < 0 OR r >= double('infinity')))")
    return (
        rows.join(widths, "stream_id", "left")
        .groupBy("stream_id")
        .agg(
            F.count("*").alias("n_rows"),
            F.countDistinct("iteration").alias("n_distinct_iterations"),
            F.min("iteration").cast("long").alias("first_iteration"),
            F.max("iteration").cast("long").alias("last_iteration"),
            F.count_if(~F.size("rates").eqNullSafe(F.col("width"))).alias("wrong_length"),
            F.sum(invalid).alias("invalid_rates"),
        )
    )
