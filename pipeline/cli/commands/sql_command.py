"""``groupscale sql``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from pipeline.cli.commands.options import Debug, Warehouse, places
from pipeline.cli.exits import reporting_errors
from pipeline.process.output import answered


def sql(
    query: Annotated[
        str,
        typer.Argument(help="SQL query over published runs; use - for standard input."),
    ],
    style: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="table, csv or json.")
    ] = "table",
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Cancel the query after this time, s \\[default: none]"
        ),
    ] = None,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Query tables and views with SQL, without Spark. See docs/analyst.md."""
    from pipeline.cli import sql_format
    from pipeline.storage import sql as answers
    from pipeline.storage import sql_question

    with reporting_errors(debug), answered():
        sql_format.check(style)
        sql_question.check_timeout(timeout)
        asked = sql_question.read(sys.stdin.buffer) if query == "-" else query
        with answers.answering(asked, places(warehouse), timeout) as answer:
            sql_format.write(answer, style, sys.stdout)
