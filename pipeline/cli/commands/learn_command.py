"""The commands ``groupscale learn …``."""

from __future__ import annotations

import typer

from pipeline.cli.commands.learn_evaluate_command import evaluate
from pipeline.cli.commands.learn_export_command import export
from pipeline.cli.commands.options import summary

learn = typer.Typer(
    name="learn",
    help="Export and evaluate policies that learned to scale.",
    no_args_is_help=True,
)

for command in (export, evaluate):
    learn.command(command.__name__, short_help=summary(command))(command)
