"""``groupscale sql``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pipeline.base.process.output import answered
from pipeline.base.text.printable import printable
from pipeline.cli.commands.options import Debug, JsonFormat, Warehouse, format_of, places
from pipeline.cli.exits import reporting_errors


def sql(
    query: Annotated[
        str,
        typer.Argument(help="SQL query over published runs; use - for standard input."),
    ],
    style: Annotated[
        str | None,
        typer.Option("--format", metavar="FORMAT", help="table, csv or json \\[default: table]"),
    ] = None,
    as_json: JsonFormat = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write to this .parquet, .csv or .json file."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file of --output if it exists.")
    ] = False,
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
    from pipeline.cli import sql_file, sql_format
    from pipeline.warehouse.storage import sql as answers
    from pipeline.warehouse.storage import sql_question

    with reporting_errors(debug), answered():
        form = format_of(style, as_json)
        if form is not None:
            sql_format.check(form)
        if output is not None:
            sql_file.check(output, form)
        sql_question.check_timeout(timeout)
        text = sql_question.read(sys.stdin.buffer) if query == "-" else query
        asked = sql_question.spelt_out(text)
        with answers.answering(asked, places(warehouse), timeout) as answer:
            if output is None:
                sql_format.write(answer, form or sql_format.TABLE, sys.stdout)
                return
            count = sql_file.write(answer, output, force)
            many = "row" if count == 1 else "rows"
            print(f"{count:,} {many} written to {printable(str(output))}")
