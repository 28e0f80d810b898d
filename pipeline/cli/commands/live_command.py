"""The commands ``groupscale live …``, in the order in which its help lists them.

To add one, write a module ``live_NAME_command.py`` beside this one with a function NAME, and list
it in `LIVE_COMMANDS`. Modules are imported for every help page: put slow imports into the
functions.
"""

from __future__ import annotations

from collections.abc import Callable

import typer

from pipeline.cli.commands.live_brokers_command import brokers
from pipeline.cli.commands.live_capacity_command import capacity
from pipeline.cli.commands.live_clean_command import clean
from pipeline.cli.commands.live_faults_command import faults
from pipeline.cli.commands.live_manifests_command import manifests
from pipeline.cli.commands.live_record_command import record
from pipeline.cli.commands.live_response_command import response
from pipeline.cli.commands.live_run_command import run
from pipeline.cli.commands.live_serve_command import serve
from pipeline.cli.commands.live_verify_command import verify
from pipeline.cli.commands.live_watch_command import watch
from pipeline.cli.commands.options import summary

LIVE_COMMANDS: tuple[Callable[..., None], ...] = (
    run,
    response,
    capacity,
    faults,
    verify,
    clean,
    record,
    watch,
    serve,
    manifests,
)

live = typer.Typer(
    name="live",
    help="Measure consumer groups on a Kafka cluster.",
    no_args_is_help=True,
)

for command in LIVE_COMMANDS:
    live.command(command.__name__.rstrip("_"), short_help=summary(command))(command)

live.add_typer(brokers, short_help=brokers.info.help)
