"""``groupscale import``."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pipeline.cli.commands.options import Debug
from pipeline.cli.exits import reporting_errors
from pipeline.process.output import answered
from pipeline.text.printable import printable


def import_(
    file: Annotated[Path, typer.Argument(help="Recorded trace: CSV, Parquet or JSON.")],
    capacity: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            help="Planned maximum load of one consumer, bytes/s "
            "\\[default: the highest partition rate, rounded up]",
        ),
    ] = None,
    consumer_capacity: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            help="Maximum throughput of one consumer, bytes/s \\[default: 1.33 × --capacity]",
        ),
    ] = None,
    iteration_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Length of an iteration, s \\[default: the median step of the file]",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    debug: Debug = False,
) -> None:
    """Validate and summarize a trace and preview the run. Writes nothing."""
    with reporting_errors(debug), answered():
        from pipeline.cli.survey import Asked, survey, survey_text

        found = survey(file, Asked(capacity, consumer_capacity, iteration_seconds))
        if as_json:
            print(json.dumps(dataclasses.asdict(found), indent=1, ensure_ascii=False))
            return
        console = Console(highlight=False, markup=False, emoji=False)
        for part in survey_text.lines(found):
            console.print(part)
        # Not through the console, which would break the line.
        print(f"  {printable(found.command)}")
