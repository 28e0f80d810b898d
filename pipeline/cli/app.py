"""The command ``groupscale``.

Exit status: 0 success; 1 a stage or a validation failed and nothing was published; 2 the input is
wrong and nothing was written; 3 a value has moved (``compare``) or nothing that can be deployed
keeps the objective (``recommend``); 130 after Ctrl-C and 143 after SIGTERM, as in shells.
"""

from __future__ import annotations

import sys
from importlib import metadata
from typing import Annotated

import typer

from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.base.process import output, own_environment, signals
from pipeline.cli import exits
from pipeline.cli.late_commands import LateCommands
from pipeline.warehouse.spark import session, session_settings

app = typer.Typer(
    name="groupscale",
    cls=LateCommands,
    help="Find the best assignment strategy for a Kafka consumer group, and its cost.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command line; the console script's entry point."""
    own_environment.adopt(session_settings.is_local())
    output.make_safe()
    try:
        paths.set_caches()
        made = paths.make_cache()
    except InputError as error:
        sys.exit(exits.refused(error))
    try:
        with signals.taken():
            app(prog_name="groupscale")
    except signals.Interrupted as error:  # before a command has started
        sys.exit(error.status)
    finally:
        session.stop()
        paths.drop_empty(made)


def _version(is_asked: bool) -> None:
    if not is_asked:
        return
    try:
        print(f"groupscale {metadata.version('groupscale')}")
    except metadata.PackageNotFoundError:
        print("groupscale (not installed)")
    raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Find the best assignment strategy for a Kafka consumer group, and its cost."""


if __name__ == "__main__":
    main()
