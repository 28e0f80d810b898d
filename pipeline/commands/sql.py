"""``groupscale sql``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console

from pipeline.commands.options import Debug, Warehouse, places
from pipeline.failures import told
from pipeline.output import answered


def sql(
    query: Annotated[
        str, typer.Argument(help="SQL on the rows of published runs; - reads it from a pipe.")
    ],
    style: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="table (default), csv or json.")
    ] = "table",
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Ask the tables and views in SQL, without Spark; docs/analyst.md shows how."""
    from pipeline import sql as answers
    from pipeline import sql_forms as forms

    with told(debug), answered():
        forms.check(style)
        asked = sys.stdin.read() if query == "-" else query
        found = answers.answer(asked, places(warehouse))
        if style != forms.TABLE:
            print(forms.text(found, style), flush=True)
            return
        console = Console()
        console.print(forms.table(found, console))
        if not found.num_rows:
            print("no rows", flush=True)
