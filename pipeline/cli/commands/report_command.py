"""``groupscale report``."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.base.process.output import answered
from pipeline.cli.commands import completion
from pipeline.cli.commands.options import Debug, Warehouse, places
from pipeline.cli.exits import reporting_errors

NEWEST = "SELECT run_id FROM runs ORDER BY created_at DESC, run_id DESC LIMIT 1"


def report(
    run_id: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN_ID",
            autocompletion=completion.runs,
            help="Run \\[default: the newest published run]",
        ),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Print where the report of a run is, or open it."""
    with reporting_errors(debug), answered():
        place = places(warehouse)
        page = place.report(_newest(place) if run_id is None else run_id)
        if not page.is_file():
            raise InputError(
                f"{page}: not found; `groupscale runs` lists the runs, and "
                "`groupscale track RUN_ID` writes the report of one again"
            )
        print(page)
        if open_:
            typer.launch(page.as_uri())


def _newest(place: Paths) -> str:
    from pipeline.warehouse.storage import sql

    with sql.answering(NEWEST, place) as answer:
        ids = [str(run) for batch in answer.batches(["#1"]) for run in batch.column(0).to_pylist()]
    if not ids:
        raise InputError(f"{place.warehouse} has no published run; start one with `groupscale run`")
    return ids[0]
