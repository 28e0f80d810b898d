"""Reads the small tables of a run into memory, for the report, MLflow and the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pipeline.runs import record
from pipeline.runs.experiment_family import load
from pipeline.runs.run_results import ReadTables, Results, TableState
from pipeline.stages import family_of
from pipeline.storage import reader, tables
from pipeline.text import addresses

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import SparkSession

    from pipeline.runs.context import RunContext

T = TypeVar("T")


def gather(spark: SparkSession, ctx: RunContext) -> Results:
    """Results of the run: rows per stream, never per iteration."""
    read = read_ahead(spark, ctx)
    seen, states = _once("checks", _done(ctx), lambda: _checked(spark, ctx, read))
    return Results({"validations": seen, **read.tables}, _run(ctx), states)


def read_ahead(spark: SparkSession, ctx: RunContext) -> ReadTables:
    """All rows that stages have written; available before the last checks end."""
    stages = [step for step in _done(ctx) if not step.startswith("check_")]
    read: Callable[[], ReadTables] = partial(load(family_of(ctx.config).results), spark, ctx)
    return _once("stages", stages, read)


def _done(ctx: RunContext) -> list[str]:
    """Cache key: the run, and its steps so far that have written or checked a table."""
    steps = [str(entry["stage"]) for entry in ctx.timings()]
    run = [str(ctx.paths.warehouse), ctx.run_id, ctx.created_at.isoformat()]
    return run + [step for step in steps if step not in ("track", "report")]


def _once(kind: str, version: object, read: Callable[[], T]) -> T:
    """Cached rows of a version; a process that calls this several times reads them once."""
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


def _checked(
    spark: SparkSession, ctx: RunContext, read: ReadTables
) -> tuple[pd.DataFrame, list[TableState]]:
    """Validation outcomes, and the state of the tables in which the run has rows."""
    seen = reader.pandas_frame(reader.of(ctx.paths), "validations", ctx.run_id)
    rows = {"validations": len(seen), **read.counts}
    rows |= {table: len(frame) for table, frame in read.tables.items()}

    def state(table: str) -> TableState:
        place = addresses.without_password(ctx.paths.table(table))
        return TableState(table, place, tables.version(spark, table, ctx.paths), rows[table])

    with ThreadPoolExecutor(max_workers=4) as pool:
        return seen, list(pool.map(state, (table for table in tables.DATA if rows[table])))
