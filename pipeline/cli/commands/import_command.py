"""``groupscale import``."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pipeline.cli.commands.options import Debug
from pipeline.cli.exits import told
from pipeline.process.output import answered
from pipeline.text.printable import printable


def import_(
    file: Annotated[Path, typer.Argument(help="Recorded trace: CSV, Parquet or JSON.")],
    capacity: Annotated[
        float | None,
        typer.Option(metavar="RATE", help="What one consumer may be loaded with, bytes/s."),
    ] = None,
    consumer_capacity: Annotated[
        float | None,
        typer.Option(metavar="RATE", help="What one can read; 1.33 times that if not given."),
    ] = None,
    iteration_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Length of an iteration; the file's usual step if not given."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    debug: Debug = False,
) -> None:
    """Check and describe a recorded trace, and what a run would make of it; writes nothing."""
    with told(debug), answered():
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
