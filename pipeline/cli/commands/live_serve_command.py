"""``groupscale live serve``."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from live.live_settings import Cluster, LiveSettings
from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named
from pipeline.cli.commands import completion
from pipeline.cli.commands.live_options import (
    STRATEGY,
    Bootstrap,
    Capacity,
    Config,
    ConsumerRate,
    check_seconds,
    opened,
)
from pipeline.cli.commands.options import Debug
from pipeline.cli.exits import reporting_errors

if TYPE_CHECKING:
    from live.user_cluster.cluster_access import TopicAccess
    from live.user_cluster.take_over import TakeOver

MOST_S = 366 * 86_400.0


def serve(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="New group; its own topics are gs.NAME.*.")
    ],
    topic: Annotated[str, typer.Option(metavar="NAME", help="Your topic, which is only read.")],
    group: Annotated[
        str,
        typer.Option(metavar="NAME", help="Your group without members, whose offsets are kept."),
    ],
    module: Annotated[
        str, typer.Option(metavar="MODULE", help="What consumers run, from the present folder.")
    ],
    capacity: Capacity,
    consumer_rate: ConsumerRate,
    bootstrap: Bootstrap = None,
    config: Config = None,
    strategy: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Assignment algorithm.", autocompletion=completion.algorithms
        ),
    ] = STRATEGY,
    offsets: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Where partitions without a commit begin: earliest or latest \\[default: refuse]",
        ),
    ] = None,
    nodes: Annotated[
        int, typer.Option(metavar="N", help="Replicas of gs.NAME.*, 1 or 3.")
    ] = Cluster.nodes,
    seconds: Annotated[
        float | None, typer.Option(metavar="N", help="Time to serve, s \\[default: until Ctrl-C]")
    ] = None,
    debug: Debug = False,
) -> None:
    """Take a topic over from your group, and give it back at the end. See docs/live-consumer.md."""
    with reporting_errors(debug):
        from live.user_cluster.take_over import EARLIEST, LATEST, TakeOver

        if offsets not in (None, EARLIEST, LATEST):
            raise InputError(f"`--offsets` must be {EARLIEST} or {LATEST} (got {named(offsets)})")
        if seconds is not None:
            check_seconds("--seconds", seconds, 1.0, MOST_S)
        _check_module(module)
        to = opened(bootstrap, topic, config)
        values: dict[str, object] = {
            "name": name,
            "bootstrap": to.bootstrap,
            "partitions": to.partitions,
            "capacity": capacity,
            "consumer_rate": consumer_rate,
            "nodes": nodes,
            "strategy": strategy,
            "consumers": None,
        }
        settings = _settings(values, to, config)
        _serve(settings, strategy, module, TakeOver(group, offsets or ""), seconds)


def _check_module(module: str) -> None:
    """Let consumers find modules of the present folder. Raises InputError without this one."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise InputError(
            f"`--module`: no module {named(module)} in this folder; save the consumer of "
            "docs/live-consumer.md here"
        )


def _settings(values: dict[str, object], to: TopicAccess, config: Path | None) -> LiveSettings:
    """Settings of the group. Raises InputError if a value is out of its limits."""
    from pipeline.settings import live_group

    group = live_group.of_options(values)
    folder = str(Path(group.name).absolute())
    client_file = "" if config is None else str(config.absolute())
    return live_group.settings_of(group, folder, client_file, to.topic)


def _serve(
    settings: LiveSettings,
    strategy: str,
    module: str,
    take_over: TakeOver,
    seconds: float | None,
) -> None:
    from live.user_cluster.program_group import ProgramGroup

    topic, old = f"topic {settings.data_topic!r}", f"group {take_over.group!r}"
    with ProgramGroup(settings, strategy, module, take_over) as group:
        print(f"Took over {topic} from {old}; logs are in {settings.folder}", flush=True)
        group.serve(seconds)
    print(f"Gave back {topic} to {old}.")
