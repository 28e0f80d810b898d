"""``groupscale report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

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
    tables: Annotated[bool, typer.Option("--tables", help="Print its tables instead.")] = False,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Print the place or the tables of a report, or open it."""
    with reporting_errors(debug), answered():
        place = places(warehouse)
        chosen = _newest(place) if run_id is None else run_id
        page = _existing(place.report(chosen))
        if tables:
            _print_tables(_existing(place.printed(chosen)))
        else:
            print(page)
        if open_:
            typer.launch(page.as_uri())


def _existing(file: Path) -> Path:
    """The file. Raises InputError if it does not exist."""
    if not file.is_file():
        raise InputError(
            f"{file}: not found; `groupscale runs` lists the runs, and "
            "`groupscale track RUN_ID` writes the report of one again"
        )
    return file


def _print_tables(file: Path) -> None:
    from pipeline.reporting.sections import section_terminal, stored_sections

    console = Console()
    written = stored_sections.read(file.read_text(encoding="utf-8"))
    console.print(section_terminal.shown(written, console.width))


def _newest(place: Paths) -> str:
    from pipeline.warehouse.storage import sql

    with sql.answering(NEWEST, place) as answer:
        ids = [str(run) for batch in answer.batches(["#1"]) for run in batch.column(0).to_pylist()]
    if not ids:
        raise InputError(f"{place.warehouse} has no published run; start one with `groupscale run`")
    return ids[0]
