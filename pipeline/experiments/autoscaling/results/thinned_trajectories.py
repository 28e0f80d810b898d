"""Trajectories in memory: those of the first replicates, thinned out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.warehouse.runs.context import RunContext

MOST_POINTS = 300
"""Points of a trajectory in the driver: about as many as a figure shows."""


def read(spark: SparkSession, ctx: RunContext) -> pd.DataFrame:
    """Thinned trajectories of a run."""
    rows = tables.read(spark, "trajectories", ctx.paths, ctx.run_id)
    return thinned(rows, {e.name: e.iterations for e in ctx.config.autoscaling}).toPandas()


def thinned(trajectories: DataFrame, lengths: dict[str, int]) -> DataFrame:
    """Trajectories of the first replicates in at most `MOST_POINTS` intervals of equal length.

    Replicas, lag and latency are the greatest of an interval, events its totals. ``replicas_min``
    are its fewest replicas, ``arrived_max`` the most events that arrived in a step of it.
    """
    from pyspark.sql import functions as F

    steps = {name: -(-length // MOST_POINTS) for name, length in lengths.items()}
    every = F.create_map(*(F.lit(item) for pair in steps.items() for item in pair))
    width = every[F.col("experiment")]
    interval = (F.floor((F.col("iteration") - 1) / width) * width + 1).cast("int")
    first = trajectories.where(F.col("stream_id").endswith("-r0001"))
    keys = ("experiment", "strategy", "setting")
    return first.groupBy(*keys, interval.alias("iteration")).agg(
        F.max("replicas").alias("replicas"),
        F.min("replicas").alias("replicas_min"),
        F.max("lag").alias("lag"),
        F.max("longest_s").alias("longest_s"),
        F.max("arrived").alias("arrived_max"),
        # The last digits of a sum of doubles depend on row order.
        *(F.round(F.sum(name), 6).alias(name) for name in ("arrived", "served", "late")),
    )
