"""``groupscale compare``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from pipeline.base.process.output import answered
from pipeline.cli.commands import completion
from pipeline.cli.commands.options import Debug, Json, Warehouse, places
from pipeline.cli.exits import MOVED, reporting_errors
from pipeline.cli.json_rows import print_rows


def compare(
    run_id: Annotated[
        str, typer.Argument(metavar="RUN_ID", autocompletion=completion.runs, help="Published run.")
    ],
    other: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="RUN_ID",
            autocompletion=completion.runs,
            help="Published run to compare with \\[default: the run's baseline]",
        ),
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="List all differences, not only the twenty largest.")
    ] = False,
    as_json: Json = False,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Show how a run differs from its baseline. Exits with 3 if a value has moved."""
    from pipeline.cli.commands import gated_family
    from pipeline.reporting.regression import comparison_text, outcome
    from pipeline.warehouse.storage import reader

    with reporting_errors(debug), answered():
        tables = reader.of(places(warehouse))
        gated_family.check(tables, run_id)
        if other is None:
            comparison = outcome.recorded(tables, run_id)
        else:
            comparison = outcome.between(tables, run_id, other)
        if as_json:
            print_rows([row for row in comparison.rows if all_ or row["verdict"] != "same"])
        else:
            most = None if all_ else comparison_text.LARGEST
            Console().print(comparison_text.table(comparison, most, "add --all"))
    if comparison.is_red:
        raise typer.Exit(MOVED)
