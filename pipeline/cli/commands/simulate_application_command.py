"""``groupscale simulate-application``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.base import paths
from pipeline.base.process.output import answered
from pipeline.cli.commands import completion
from pipeline.cli.commands.options import Debug, Json
from pipeline.cli.exits import reporting_errors


def simulate_application(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="YAML or JSON file with functions, edges and sources."),
    ],
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            autocompletion=completion.policies,
            help="Policy, as NAME or NAME:PARAMETER=VALUE:… Repeatable, or a list separated by "
            "commas \\[default: those of the file, else common ones]",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            autocompletion=completion.application_keys,
            help="Setting of the simulation, such as r_max=2. Repeatable.",
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Simulate policies that scale functions of an application. See docs/applications.md."""
    paths.set_defaults()
    with reporting_errors(debug), answered():
        from pipeline.cli import policies_answer
        from pipeline.inputs.applications import application_file

        policies = [name for text in policy or [] for name in text.split(",")]
        settings = application_file.from_options(set_ or [])
        described = application_file.read(file, policies, settings)
        runs = [(one, described.simulate(one)) for one in described.policies]
        if as_json:
            print(policies_answer.json_text(described, runs))
        else:
            policies_answer.write(file.name, described, runs)
