"""Frames that results of this family have besides tables: sums over streams, and hot traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pipeline.experiments.assignment.results import left_out
from pipeline.warehouse.runs.run_results import KEY
from pipeline.warehouse.storage import reader, tables
from schemas.tables.assignment.latency import HISTOGRAM_BINS

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.warehouse.runs.context import RunContext


def histograms(spark: SparkSession, ctx: RunContext) -> pd.DataFrame:
    """Histograms of `latency`, added over streams."""
    source = reader.of(ctx.paths)
    return source.sums("latency", ctx.run_id, KEY, "histogram", HISTOGRAM_BINS).to_pandas()


def hot_rates(spark: SparkSession, ctx: RunContext) -> pd.DataFrame | None:
    """`rates` of the traces with hot partitions; None without."""
    hot = left_out.hot_streams(ctx.config)
    return rates(reader.of(ctx.paths), ctx.run_id, hot) if hot else None


def hot_names(spark: SparkSession, ctx: RunContext) -> pd.DataFrame | None:
    """Names of the partitions of the traces with hot partitions, a row per stream; or None."""
    if not (hot := left_out.hot_streams(ctx.config)):
        return None
    source, columns = reader.of(ctx.paths), ["stream_id", "partitions"]
    return source.rows("streams", columns, run_id=[ctx.run_id], stream_id=hot).to_pandas()


def curves(spark: SparkSession, ctx: RunContext) -> pd.DataFrame:
    """`series` of the run."""
    assignments = tables.read(spark, "assignments", ctx.paths, ctx.run_id)
    lengths = {e.name: e.iterations for e in ctx.config.experiments}
    return series(assignments, lengths).toPandas()


def rates(source: reader.Source, run_id: str, stream_ids: Sequence[str]) -> pd.DataFrame:
    """Rates of some streams, one row per iteration, in order; NaN where a partition is absent."""
    columns = ["stream_id", "iteration", "rates"]
    rows = source.rows("measurements", columns, run_id=[run_id], stream_id=stream_ids)
    return rows.to_pandas().sort_values(["stream_id", "iteration"], ignore_index=True)


def series(assignments: DataFrame, lengths: Mapping[str, int]) -> DataFrame:
    """Consumers in use and data moved over time, over the streams of an experiment and δ.

    A series of more than `MOST_POINTS` iterations has a row for each span of as many iterations as
    that takes. Spans are equal, except that the last one may be shorter. No extreme is lost.

    lengths: Iterations of the longest stream of each experiment, by name.
    Returns: ``iteration``, the first of the span; ``n_consumers``, ``n_consumers_min``,
        ``n_consumers_max`` and ``rscore``, mean, least, greatest and mean over the iterations of a
        span and the streams; ``n_rows``, how many these are.
    """
    from pyspark.sql import functions as F

    moving = assignments.where(~F.col("algorithm").rlike("^(kd|range)_[0-9]+$"))
    span = F.lit(1)
    for name, length in lengths.items():
        span = F.when(F.col("experiment") == name, -(-length // MOST_POINTS)).otherwise(span)
    started = (F.col("iteration") - (F.col("iteration") - 1) % span).alias("iteration")
    return moving.groupBy("experiment", "delta", "algorithm", started).agg(
        F.avg("n_consumers").alias("n_consumers"),
        F.min("n_consumers").alias("n_consumers_min"),
        F.max("n_consumers").alias("n_consumers_max"),
        # The last digits of a sum of doubles depend on row order.
        F.round(F.avg("rscore"), 9).alias("rscore"),
        F.count("n_consumers").alias("n_rows"),
    )


MOST_POINTS = 2_000
"""Maximum rows of a series in the driver: more than figures and MLflow curves show."""
