"""``groupscale presets``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from pipeline.base.errors import InputError
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
    family: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="List the presets of a family, with what they run.",
            autocompletion=completion.families,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the presets, those of a family, or the experiments of one."""
    from pipeline.cli import listings

    with reporting_errors(), answered():
        if name is not None and family is not None:
            raise InputError("--family lists presets; leave out NAME or --family")
        if as_json:
            print_rows(listings.preset_rows(name, family))
        elif name is not None:
            Console().print(listings.experiments(name))
        else:
            Console().print(listings.families() if family is None else listings.presets(family))
