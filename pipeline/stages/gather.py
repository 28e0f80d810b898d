"""Reads the small tables of a run into memory, for the report, MLflow and the terminal."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from pipeline import addresses, runs, tables
from pipeline.report.frames import ReportFrames, TableState

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.context import RunContext


def gather(spark: SparkSession, ctx: RunContext) -> ReportFrames:
    """Everything that a report needs; rows per stream, never per iteration.

    The tables of a run are read once by a process that asks several times.
    """
    version = (ctx.paths, ctx.run_id, ctx.created_at, _written(ctx))
    if version not in _LAST:
        _LAST.clear()
        _LAST[version] = _read(spark, ctx)
    known = _LAST[version]
    return known._replace(run=_run(ctx) | {"tables": known.tables})


_LAST: dict[object, ReportFrames] = {}


def _written(ctx: RunContext) -> int:
    """How often tables of the run have been written or checked so far."""
    return sum(entry["stage"] not in ("track", "report") for entry in ctx.timings())


def _run(ctx: RunContext) -> dict[str, object]:
    return {
        "run_id": ctx.run_id,
        "preset": ctx.config.preset,
        "created_at": ctx.created_at,
        "seed": ctx.config.seed,
        "config": ctx.config.to_json(private=False),
        "versions": json.dumps(dict(ctx.versions or runs.versions())),
        "stage_timings": json.dumps(ctx.timings()),
    }


def _read(spark: SparkSession, ctx: RunContext) -> ReportFrames:
    """Read all frames at a time: each is small, and most of its time is waiting."""
    read = partial(tables.read, spark, paths=ctx.paths, run_id=ctx.run_id)
    frames = {name: read(name).drop("run_id") for name in _WHOLE}
    frames |= {"streams": _streams(read("streams")), "series": series(read("assignments"))}
    with ThreadPoolExecutor(max_workers=4) as pool:
        collected = pool.map(lambda frame: frame.toPandas(), frames.values())
        versions = pool.map(partial(tables.version, spark, paths=ctx.paths), tables.DATA)
        counts = pool.map(lambda table: read(table).count(), _COUNTED)
        found = dict(zip(frames, collected, strict=True))
        rows = {table: len(found[table]) for table in tables.DATA if table in found}
        rows |= zip(_COUNTED, counts, strict=True)
        states = [
            TableState(
                table, addresses.without_password(ctx.paths.table(table)), version, rows[table]
            )
            for table, version in zip(tables.DATA, versions, strict=True)
        ]
    return ReportFrames(run={"tables": states}, **found)


_WHOLE = (
    "scores",
    "latency",
    "pareto",
    "rankings",
    "indicators",
    "dominance",
    "validations",
    "differences",
    "bounds",
)
_COUNTED = tuple(table for table in tables.DATA if table not in (*_WHOLE, "streams"))


def _streams(streams: DataFrame) -> DataFrame:
    """Streams with the number of their partitions in place of the names."""
    counted = streams.selectExpr("*", "size(partitions) AS n_partitions")
    return counted.drop("run_id", "partitions")


def series(assignments: DataFrame) -> DataFrame:
    """Consumers in use and data moved over time, over the streams of an experiment and δ."""
    from pyspark.sql import functions as F

    moving = assignments.where(~F.col("algorithm").startswith("kd_"))
    keys = ("experiment", "delta", "algorithm", "iteration")
    return moving.groupBy(*keys).agg(
        F.avg("n_consumers").alias("n_consumers"),
        F.min("n_consumers").alias("n_consumers_min"),
        F.max("n_consumers").alias("n_consumers_max"),
        # Sums of doubles depend on the order of rows, in digits that nobody needs.
        F.round(F.avg("rscore"), 9).alias("rscore"),
    )
