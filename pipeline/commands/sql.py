"""``groupscale sql``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from pipeline.commands.options import Debug, Warehouse, places
from pipeline.failures import told


def sql(
    query: Annotated[str, typer.Argument(help="SQL on the tables' rows of published runs.")],
    style: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="table (default), csv or json.")
    ] = "table",
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Ask the tables in SQL, without Spark; see docs/data-dictionary.md for their columns."""
    from pipeline import sql as answers

    with told(debug):
        answers.check_format(style)
        found = answers.answer(query, places(warehouse))
        if style == answers.TABLE:
            Console().print(answers.table(found))
        else:
            print(answers.text(found, style))
