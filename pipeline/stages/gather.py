"""Reads the small tables of a run into memory, for the report, MLflow and the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import schemas
from pipeline.runs import record
from pipeline.runs.run_results import ReportFrames, TableState
from pipeline.storage import reader, tables
from pipeline.storage.reader import Source
from pipeline.text import addresses
from schemas.tables.assignment.latency import HISTOGRAM_BINS

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.runs.context import RunContext

T = TypeVar("T")


def gather(spark: SparkSession, ctx: RunContext) -> ReportFrames:
    """Everything that a report needs; rows per stream, never per iteration."""
    results = read_ahead(spark, ctx)
    seen, states = _once("checks", _done(ctx), lambda: _checked(spark, ctx, results))
    run = _run(ctx) | {"tables": states}
    return ReportFrames(run=run, validations=seen, **results.frames)


class Results(NamedTuple):
    """What stages have written.

    Attributes
    ----------
    frames
        Tables by name, ``series`` and ``histograms``.
    counts
        Rows of the tables that are only counted.
    """

    frames: Mapping[str, pd.DataFrame]
    counts: Mapping[str, int]


def read_ahead(spark: SparkSession, ctx: RunContext) -> Results:
    """All that stages have written, which is there before the last checks are done."""
    stages = [step for step in _done(ctx) if not step.startswith("check_")]
    return _once("stages", stages, lambda: _read(spark, ctx))


def _done(ctx: RunContext) -> list[str]:
    """The run, and its steps so far that have written or checked a table."""
    steps = [str(entry["stage"]) for entry in ctx.timings()]
    run = [str(ctx.paths.warehouse), ctx.run_id, ctx.created_at.isoformat()]
    return run + [step for step in steps if step not in ("track", "report")]


def _once(kind: str, version: object, read: Callable[[], T]) -> T:
    """What has been read of a version; a process that asks several times reads it once."""
    if kind not in _LAST or _LAST[kind][0] != version:
        _LAST[kind] = version, read()
    found: T = _LAST[kind][1]
    return found


_LAST: dict[str, tuple[object, Any]] = {}


def _run(ctx: RunContext) -> dict[str, object]:
    return {
        "run_id": ctx.run_id,
        "preset": ctx.config.preset,
        "created_at": ctx.created_at,
        "seed": ctx.config.seed,
        "config": ctx.config.to_json(private=False),
        "versions": json.dumps(dict(ctx.versions or record.versions())),
        "stage_timings": json.dumps(ctx.timings()),
    }


def _read(spark: SparkSession, ctx: RunContext) -> Results:
    """Read all tables at a time: most of it is waiting."""
    here = reader.of(ctx.paths)
    read = partial(tables.read, spark, paths=ctx.paths, run_id=ctx.run_id)
    curves = series(read("assignments"), {e.name: e.iterations for e in ctx.config.experiments})
    asked = {"streams": _streams(read("streams")), "series": curves}
    with ThreadPoolExecutor(max_workers=4) as pool:
        computed = pool.map(lambda frame: frame.toPandas(), asked.values())
        found = pool.map(lambda table: _frame(here, table, ctx.run_id), _WHOLE)
        counts = pool.map(lambda table: here.count(table, ctx.run_id), _COUNTED)
        histograms = pool.submit(here.sums, "latency", ctx.run_id, _CELL, HISTOGRAM, HISTOGRAM_BINS)
        frames = dict(zip((*asked, *_WHOLE), (*computed, *found), strict=True))
        frames["histograms"] = histograms.result().to_pandas()
        return Results(frames, dict(zip(_COUNTED, counts, strict=True)))


def _frame(here: Source, table: str, run_id: str) -> pd.DataFrame:
    """A run's rows of a table, without the run id and what is added up elsewhere."""
    left = ("run_id", HISTOGRAM)
    names = [column.name for column in schemas.TABLES[table].columns if column.name not in left]
    # Columns are given up one by one as they are copied: both would be twice the memory.
    return here.rows(table, names, run_id=[run_id]).to_pandas(split_blocks=True, self_destruct=True)


def _checked(
    spark: SparkSession, ctx: RunContext, results: Results
) -> tuple[pd.DataFrame, list[TableState]]:
    """What validation saw, and the state of all tables."""
    seen = _frame(reader.of(ctx.paths), "validations", ctx.run_id)
    rows = {"validations": len(seen), **results.counts}
    rows |= {table: len(frame) for table, frame in results.frames.items()}

    def state(table: str) -> TableState:
        place = addresses.without_password(ctx.paths.table(table))
        return TableState(table, place, tables.version(spark, table, ctx.paths), rows[table])

    with ThreadPoolExecutor(max_workers=4) as pool:
        return seen, list(pool.map(state, tables.DATA))


_WHOLE = (
    "scores",
    "latency",
    "pareto",
    "rankings",
    "indicators",
    "dominance",
    "differences",
    "bounds",
)
_CELL = ("experiment", "delta", "algorithm")
HISTOGRAM = "histogram"
"""Largest column of `latency`, of which only sums are needed."""

_COUNTED = tuple(table for table in tables.DATA if table not in (*_WHOLE, "streams", "validations"))


def _streams(streams: DataFrame) -> DataFrame:
    """Streams with the number of their partitions in place of the names."""
    counted = streams.selectExpr("*", "size(partitions) AS n_partitions")
    return counted.drop("run_id", "partitions")


def series(assignments: DataFrame, lengths: Mapping[str, int]) -> DataFrame:
    """Consumers in use and data moved over time, over the streams of an experiment and δ.

    Up to `MOST_POINTS` iterations are all kept. Longer streams are first thinned to at most that
    many: the first, equidistant ones, and the last.

    Parameters
    ----------
    lengths
        Iterations of the longest stream of each experiment, by name.
    """
    from pyspark.sql import functions as F

    moving = assignments.where(~F.col("algorithm").startswith("kd_"))
    for name, length in lengths.items():
        if length > MOST_POINTS:
            every = -(-(length - 1) // (MOST_POINTS - 1))
            chosen = ((F.col("iteration") - 1) % every == 0) | (F.col("iteration") == length)
            moving = moving.where((F.col("experiment") != name) | chosen)
    keys = ("experiment", "delta", "algorithm", "iteration")
    return moving.groupBy(*keys).agg(
        F.avg("n_consumers").alias("n_consumers"),
        F.min("n_consumers").alias("n_consumers_min"),
        F.max("n_consumers").alias("n_consumers_max"),
        # The last digits of a sum of doubles depend on row order.
        F.round(F.avg("rscore"), 9).alias("rscore"),
    )


MOST_POINTS = 2_000
"""Maximum iterations of a series in the driver: more than figures and MLflow curves show."""
