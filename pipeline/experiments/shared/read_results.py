"""Reads the small tables of a run into memory, for the report, MLflow and the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from pipeline.base.text import addresses
from pipeline.experiments.family_list import family_of
from pipeline.warehouse.runs import record, stage_inputs
from pipeline.warehouse.runs.run_results import Results, TableState
from pipeline.warehouse.runs.stage import Rows
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.warehouse.runs.context import RunContext


def gather(spark: SparkSession, ctx: RunContext) -> Results:
    """Results of the run, rows per stream; read once for all who ask in a process."""
    # The run, and its steps so far that have written or checked a table.
    steps = [str(entry["stage"]) for entry in ctx.timings()]
    version = [str(ctx.paths.warehouse), ctx.run_id, ctx.created_at.isoformat()]
    version += [step for step in steps if step not in ("track", "report")]
    if not _LAST or _LAST[0][0] != version:
        _LAST[:] = [(version, _read(spark, ctx))]
    return _LAST[0][1]


_LAST: list[tuple[list[str], Results]] = []


def itself(spark: SparkSession, ctx: RunContext) -> RunContext:
    """The run that a stage works on."""
    return ctx


def _read(spark: SparkSession, ctx: RunContext) -> Results:
    """Read all at once: most of the time is waiting."""
    own = family_of(ctx.config)
    inputs = (*own.results, Rows("differences"), Rows("validations"))
    with ThreadPoolExecutor(max_workers=4) as pool:
        read = pool.map(lambda item: stage_inputs.read(spark, ctx, item), inputs)
        frames = {item.name: rows for item, rows in zip(inputs, read, strict=True)}
        stored = {item.table: len(frames[item.table]) for item in inputs if isinstance(item, Rows)}
        # A frame that is made of a table says nothing of the number of its rows.
        state = partial(_state, spark, ctx, stored)
        states = list(pool.map(state, (*own.tables, "differences", "validations")))
    there = {name: rows for name, rows in frames.items() if rows is not None}
    return Results(there, _run(ctx), [state for state in states if state is not None])


def _state(
    spark: SparkSession, ctx: RunContext, stored: Mapping[str, int], table: str
) -> TableState | None:
    """State of a table; None if the run has no rows in it."""
    rows = stored.get(table)
    if rows is None:
        rows = reader.of(ctx.paths).count(table, ctx.run_id)
    if not rows:
        return None
    place = addresses.without_password(ctx.paths.table(table))
    return TableState(table, place, tables.version(spark, table, ctx.paths), rows)


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
