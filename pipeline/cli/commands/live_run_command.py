"""``groupscale live run``."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.cli.commands import live_scale, run_command
from pipeline.cli.commands.live_scale import Scale
from pipeline.cli.commands.options import Debug, Settings, Warehouse
from pipeline.cli.exits import reporting_errors
from pipeline.config.presets import LIVE, PRESETS
from pipeline.errors import InputError

_NAMES = ", ".join(preset.name for preset in PRESETS.values() if preset.family == "live")


def run(
    preset: Annotated[str, typer.Option(metavar="NAME", help=_NAMES + ".")] = LIVE,
    strategies: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Algorithms, autoscaling strategies, kafka_classic_n, kafka_848_n, keda, "
            "separated by commas.",
        ),
    ] = None,
    speeds: Annotated[
        str | None, typer.Option(metavar="KIND", help="given or measured: what strategies see.")
    ] = None,
    nodes: Annotated[int | None, typer.Option(metavar="N", help="Brokers, 1 or 3.")] = None,
    scale: Scale = 1.0,
    set_: Settings = None,
    warehouse: Warehouse = None,
    run_id: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Id of the run \\[default: a new id]"),
    ] = None,
    debug: Debug = False,
) -> None:
    """Run strategies on a Kafka broker and compare it with simulators. See docs/live.md."""
    options = {"strategies": strategies, "speeds": speeds, "nodes": nodes}
    with reporting_errors(debug):
        if preset not in _NAMES.split(", "):
            raise InputError(f"`--preset` must be one of {_NAMES} (got {preset!r})")
        sets = [*(set_ or []), *(f"{key}={v}" for key, v in options.items() if v is not None)]
        sets += live_scale.scaled(preset, sets, scale)
    run_command.run(preset, None, sets, None, warehouse, run_id, debug)
