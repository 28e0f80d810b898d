"""Reads the tables of a run of this family into memory, for report, MLflow and terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from pipeline.experiments.assignment.results import left_out
from pipeline.warehouse.runs.run_results import KEY, ReadTables
from pipeline.warehouse.storage import reader, tables
from schemas.tables.assignment.latency import HISTOGRAM_BINS

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.warehouse.runs.context import RunContext


def read(spark: SparkSession, ctx: RunContext) -> ReadTables:
    """Read all tables in parallel: most of the time is waiting."""
    here = reader.of(ctx.paths)
    rows = partial(tables.read, spark, paths=ctx.paths, run_id=ctx.run_id)
    curves = series(rows("assignments"), {e.name: e.iterations for e in ctx.config.experiments})
    asked = {"streams": _streams(rows("streams")), "series": curves}
    with ThreadPoolExecutor(max_workers=4) as pool:
        computed = pool.map(lambda frame: frame.toPandas(), asked.values())
        found = pool.map(
            lambda table: reader.pandas_frame(here, table, ctx.run_id, without=[HISTOGRAM]), _WHOLE
        )
        counts = pool.map(lambda table: here.count(table, ctx.run_id), _COUNTED)
        histograms = pool.submit(here.sums, "latency", ctx.run_id, KEY, HISTOGRAM, HISTOGRAM_BINS)
        frames = dict(zip((*asked, *_WHOLE), (*computed, *found), strict=True))
        frames["histograms"] = histograms.result().to_pandas()
        if hot := left_out.hot_streams(ctx.config):
            frames[left_out.RATES] = rates(here, ctx.run_id, hot)
            frames[left_out.NAMES] = names(here, ctx.run_id, hot)
        return ReadTables(frames, dict(zip(_COUNTED, counts, strict=True)))


_WHOLE = (
    "scores",
    "latency",
    "pareto",
    "rankings",
    "indicators",
    "dominance",
    "published_figures",
    "differences",
    "bounds",
)
HISTOGRAM = "histogram"
"""Largest column of `latency`, of which only sums are needed."""

_COUNTED = tuple(table for table in tables.DATA if table not in (*_WHOLE, "streams", "validations"))


def rates(source: reader.Source, run_id: str, stream_ids: Sequence[str]) -> pd.DataFrame:
    """Rates of some streams, one row per iteration, in order; NaN where a partition is absent."""
    columns = ["stream_id", "iteration", "rates"]
    rows = source.rows("measurements", columns, run_id=[run_id], stream_id=stream_ids)
    return rows.to_pandas().sort_values(["stream_id", "iteration"], ignore_index=True)


def names(source: reader.Source, run_id: str, stream_ids: Sequence[str]) -> pd.DataFrame:
    """Names of the partitions of some streams, one row per stream."""
    columns = ["stream_id", "partitions"]
    return source.rows("streams", columns, run_id=[run_id], stream_id=stream_ids).to_pandas()


def _streams(streams: DataFrame) -> DataFrame:
    """Streams with the number of their partitions instead of the names."""
    counted = streams.selectExpr("*", "size(partitions) AS n_partitions")
    return counted.drop("run_id", "partitions")


def series(assignments: DataFrame, lengths: Mapping[str, int]) -> DataFrame:
    """Consumers in use and data moved over time, over the streams of an experiment and δ.

    A series of more than `MOST_POINTS` iterations has a row for each span of as many iterations as
    that takes. Spans are equal, except that the last one may be shorter. No extreme is lost.

    Parameters
    ----------
    lengths
        Iterations of the longest stream of each experiment, by name.

    Returns
    -------
    DataFrame
        ``iteration``, the first of the span; ``n_consumers``, ``n_consumers_min``,
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
