"""``groupscale sql``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from pipeline.cli.commands.options import Debug, Warehouse, places
from pipeline.cli.exits import told
from pipeline.process.output import answered


def sql(
    query: Annotated[
        str, typer.Argument(help="SQL on the rows of published runs; - reads it from a pipe.")
    ],
    style: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="table (default), csv or json.")
    ] = "table",
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Stop after that long. Default: no limit."),
    ] = None,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Ask the tables and views in SQL, without Spark; docs/analyst.md shows how."""
    from pipeline.cli import sql_format
    from pipeline.storage import sql as answers
    from pipeline.storage import sql_question

    with told(debug), answered():
        sql_format.check(style)
        sql_question.check_timeout(timeout)
        asked = sql_question.read(sys.stdin.buffer) if query == "-" else query
        with answers.answering(asked, places(warehouse), timeout) as answer:
            sql_format.write(answer, style, sys.stdout)
