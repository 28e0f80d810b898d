"""Reads the tables of a run of this family into memory, for report, MLflow and terminal."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from pipeline.warehouse.runs.run_results import ReadTables
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.warehouse.runs.context import RunContext

MOST_POINTS = 300
"""Points of a trajectory in the driver: about as many as a figure shows."""

_WHOLE = ("simulations", "trade_offs", "published_figures", "differences")
_COUNTED = tuple(table for table in tables.DATA if table not in (*_WHOLE, "streams", "validations"))


def read(spark: SparkSession, ctx: RunContext) -> ReadTables:
    """Read all tables in parallel: most of the time is waiting."""
    here = reader.of(ctx.paths)
    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    rows = tables.read(spark, "trajectories", ctx.paths, ctx.run_id)
    asked = {
        "streams": streams.selectExpr("*", "size(partitions) AS n_partitions").drop("partitions"),
        "trajectories": thinned(rows, {e.name: e.iterations for e in ctx.config.autoscaling}),
    }
    with ThreadPoolExecutor(max_workers=4) as pool:
        computed = pool.map(lambda frame: frame.toPandas(), asked.values())
        found = pool.map(lambda table: reader.pandas_frame(here, table, ctx.run_id), _WHOLE)
        counts = pool.map(lambda table: here.count(table, ctx.run_id), _COUNTED)
        frames = dict(zip((*asked, *_WHOLE), (*computed, *found), strict=True))
        return ReadTables(frames, dict(zip(_COUNTED, counts, strict=True)))


def thinned(trajectories: DataFrame, lengths: dict[str, int]) -> DataFrame:
    """Trajectories of the first replicates in at most `MOST_POINTS` intervals of equal length.

    Replicas and lag are the greatest of an interval, events its totals. ``replicas_min`` are its
    fewest replicas, ``arrived_max`` the most events that arrived in a step of it.
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
        F.max("arrived").alias("arrived_max"),
        # The last digits of a sum of doubles depend on row order.
        *(F.round(F.sum(name), 6).alias(name) for name in ("arrived", "served", "late")),
    )
