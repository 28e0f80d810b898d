"""``groupscale live run``."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.cli.commands import run_command
from pipeline.cli.commands.options import Debug, Warehouse
from pipeline.cli.exits import reporting_errors
from pipeline.config.presets import LIVE, PRESETS
from pipeline.errors import InputError

_NAMES = ", ".join(preset.name for preset in PRESETS.values() if preset.family == "live")

LEAST_SCALE, MOST_SCALE = 0.01, 100.0


def run(
    preset: Annotated[str, typer.Option(metavar="NAME", help=_NAMES + ".")] = LIVE,
    strategies: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Algorithms, kd_n, kafka_classic_n, kafka_848_n or keda, separated by commas.",
        ),
    ] = None,
    speeds: Annotated[
        str | None, typer.Option(metavar="KIND", help="given or measured: what strategies see.")
    ] = None,
    nodes: Annotated[int | None, typer.Option(metavar="N", help="Brokers, 1 or 3.")] = None,
    scale: Annotated[
        float, typer.Option(metavar="X", help="Factor of rates, C and C̄ alike.")
    ] = 1.0,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="As for `groupscale run`. Repeatable."),
    ] = None,
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
        sets += _scaled(preset, sets, scale)
    run_command.run(preset, None, sets, None, warehouse, run_id, debug)


def _scaled(preset: str, sets: list[str], scale: float) -> list[str]:
    """Settings of capacities that are so many times as high."""
    if scale == 1.0:
        return []
    if not LEAST_SCALE <= scale <= MOST_SCALE:
        raise InputError(
            f"`--scale` must be between {LEAST_SCALE:g} and {MOST_SCALE:g} (got {scale:g})"
        )
    from pipeline.config.load import resolve

    experiments = resolve(preset, None, sets, []).live
    rates = {(experiment.capacity, experiment.consumer_rate) for experiment in experiments}
    if len(rates) > 1:
        raise InputError("`--scale` needs experiments of the same capacities; use --set capacity=…")
    ((capacity, rate),) = rates
    return [f"capacity={capacity * scale:.17g}", f"consumer_rate={rate * scale:.17g}"]
