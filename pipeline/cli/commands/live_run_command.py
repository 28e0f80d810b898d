"""``groupscale live run``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from pipeline.base.errors import InputError
from pipeline.cli.commands import completion, live_scale, run_command
from pipeline.cli.commands.event_options import LiveEvent
from pipeline.cli.commands.live_options import Config, cluster
from pipeline.cli.commands.live_scale import Scale
from pipeline.cli.commands.options import Debug, NewRunId, Settings, Timestamps, Values, Warehouse
from pipeline.cli.exits import reporting_errors
from pipeline.settings.option_setting import OptionSetting
from pipeline.settings.presets import LIVE, PRESETS

_NAMES = ", ".join(preset.name for preset in PRESETS.values() if preset.family == "live")


def run(
    preset: Annotated[str, typer.Option(metavar="NAME", help=_NAMES + ".")] = LIVE,
    strategies: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            autocompletion=completion.live_strategies,
            help="Algorithms, autoscaling strategies, kafka_classic_n, kafka_848_n, keda, "
            "asking:STRATEGY, separated by commas.",
        ),
    ] = None,
    speeds: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="Speeds that strategies use: given or measured."),
    ] = None,
    event: LiveEvent = None,
    nodes: Annotated[int | None, typer.Option(metavar="N", help="Brokers, 1 or 3.")] = None,
    bootstrap: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Brokers of your own cluster, separated by commas \\[default: the run starts "
            "brokers, or bootstrap.servers of --config]",
        ),
    ] = None,
    config: Config = None,
    trace: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Recorded trace, such as that of `groupscale live record`, replaces generated "
            "streams. Repeatable.",
        ),
    ] = None,
    scale: Scale = 1.0,
    set_: Settings = None,
    warehouse: Warehouse = None,
    run_id: NewRunId = None,
    debug: Debug = False,
    values: Values = None,
    timestamps: Timestamps = None,
) -> None:
    """Run strategies on a Kafka broker and compare it with simulators. See docs/live.md."""
    with reporting_errors(debug):
        if preset not in _NAMES.split(", "):
            raise InputError(f"`--preset` must be one of {_NAMES} (got {preset!r})")
        named = {"strategies": strategies, "speeds": speeds, "nodes": nodes}
        sets: list[str] = [
            *(set_ or []),
            *(OptionSetting(n, v, f"--{n} {v}") for n, v in named.items() if v is not None),
            *_cluster(bootstrap, config),
            *_events(event or []),
        ]
        sets += live_scale.scaled(preset, sets, scale, bool(trace))
    run_command.run(preset, None, sets, trace, warehouse, run_id, debug, values, timestamps)


def _cluster(bootstrap: str | None, config: Path | None) -> Iterator[OptionSetting]:
    """Settings for a user's own cluster; none without the two options."""
    if bootstrap is None and config is None:
        return
    brokers, _ = cluster(bootstrap, config)
    of_file = f"--config {config}"
    origin = of_file if bootstrap is None else f"--bootstrap {bootstrap}"
    yield OptionSetting("bootstrap", brokers, origin)
    if config is not None:
        # As JSON, since an option with commas is a list.
        yield OptionSetting("client_file", json.dumps(str(config.absolute())), of_file)


def _events(events: list[str]) -> Iterator[OptionSetting]:
    """The setting of all events; none without any."""
    if events:
        origin = " ".join(f"--event {each}" for each in events)
        yield OptionSetting("group_events", json.dumps(events), origin)
