"""``groupscale presets``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from pipeline.base.process.output import answered
from pipeline.cli.commands import completion
from pipeline.cli.commands.options import Json
from pipeline.cli.exits import reporting_errors
from pipeline.cli.json_rows import print_rows


def presets(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Preset whose experiments to list.",
            autocompletion=completion.presets,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the presets, or the experiments of one."""
    from pipeline.cli import listings

    with reporting_errors(), answered():
        if as_json:
            print_rows(listings.preset_rows(name))
        else:
            Console().print(listings.presets() if name is None else listings.experiments(name))
