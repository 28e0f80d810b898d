"""``groupscale runs``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Annotated, Any

import typer
from rich.console import Console

from pipeline.base.paths import Paths
from pipeline.base.process.output import answered
from pipeline.cli.commands.options import Debug, Json, Warehouse, places
from pipeline.cli.exits import reporting_errors
from pipeline.cli.json_rows import print_rows
from schemas.tables.common.runs import FAILED, RUNNING

PUBLISHED_RUNS = """
SELECT run_id, preset, created_at, date_diff('second', created_at, finished_at) AS seconds, seed
FROM runs ORDER BY created_at DESC, run_id DESC
"""
OF_FAILED = ("run_id", "preset", "created_at", "status", "error")


def runs(
    failed: Annotated[
        bool,
        typer.Option("--failed", help="List failed and unfinished runs instead, with the cause."),
    ] = False,
    as_json: Json = False,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """List published runs, the newest first."""
    with reporting_errors(debug), answered():
        if failed:
            _print_failed(_failed(places(warehouse)), as_json)
        else:
            _print_published(places(warehouse), as_json)


def _print_published(place: Paths, as_json: bool) -> None:
    from pipeline.cli import sql_format
    from pipeline.warehouse.storage import sql

    with sql.answering(PUBLISHED_RUNS, place) as answer:
        sql_format.write(answer, sql_format.JSON if as_json else sql_format.TABLE, sys.stdout)


def _failed(place: Paths) -> list[dict[str, Any]]:
    from pipeline.warehouse.storage import reader

    table = reader.of(place).rows("runs", OF_FAILED, status=(FAILED, RUNNING))
    rows = sorted(table.to_pylist(), key=lambda row: (row["created_at"], row["run_id"]))
    return [row | {"created_at": _utc(row["created_at"])} for row in reversed(rows)]


def _utc(time: Any) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%SZ}"


def _print_failed(rows: Sequence[Mapping[str, Any]], as_json: bool) -> None:
    from pipeline.cli import listings

    if as_json:
        print_rows(rows)
    elif rows:
        Console().print(listings.failed_runs(rows))
    else:
        print("No failed or unfinished run.")
