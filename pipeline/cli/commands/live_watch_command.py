"""``groupscale live watch``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.base import paths
from pipeline.base.errors import StageError
from pipeline.base.process.signals import Interrupted
from pipeline.cli.commands.live_options import Bootstrap, Config, Topic, check_seconds, opened
from pipeline.cli.commands.options import Debug, ImportPath
from pipeline.cli.exits import reporting_errors

if TYPE_CHECKING:
    from live.user_cluster.cluster_access import TopicAccess
    from pipeline.cli.live.watched import Watched

FIRST_S = 15.0
"""Time within which a topic must have rates for one table."""

LEAST_PERIOD_S, MOST_PERIOD_S = 1.0, 15.0
"""Twice the period fits into the window of rates."""


def watch(
    topic: Topic,
    bootstrap: Bootstrap = None,
    group: Annotated[
        str | None, typer.Option(metavar="NAME", help="Consumer group to show the lag of.")
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Strategy to step. Repeatable, or a list separated by commas "
            "\\[default: MWF, BFD, SR_1; with --mu, those of `simulate`]",
        ),
    ] = None,
    capacity: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Planned maximum load of one consumer, bytes/s, such as 2MB \\[default: the "
            "highest partition rate, rounded up]",
        ),
    ] = None,
    mu: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Events/s that one consumer serves, such as 5k/s; instead of --capacity, for all "
            "strategies of `simulate`.",
        ),
    ] = None,
    period: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time between two steps, s.")
    ] = 5.0,
    once: Annotated[bool, typer.Option("--once", help="Print one table and end.")] = False,
    config: Config = None,
    debug: Debug = False,
    import_path: ImportPath = None,
) -> None:
    """Show rates, lag, and what strategies would do now. Only reads. See docs/own-cluster.md."""
    paths.set_defaults()
    with reporting_errors(debug):
        from pipeline.cli.live.watched import Watched
        from pipeline.cli.survey import survey_options
        from pipeline.settings import own_algorithms

        check_seconds("--period", period, LEAST_PERIOD_S, MOST_PERIOD_S)
        own_algorithms.name_folders(import_path or [])
        names = [part.strip() for text in strategy or [] for part in text.split(",")]
        rates = survey_options.rate("--capacity", capacity), survey_options.rate("--mu", mu)
        watched = Watched(names, *rates, period, group)
        _watch(opened(bootstrap, topic, config), watched, once)


def _watch(to: TopicAccess, watched: Watched, once: bool) -> None:
    from live.user_cluster import cluster_access
    from live.user_cluster.group_offsets import GroupOffsets
    from live.user_cluster.topic_watch import TopicWatch
    from pipeline.cli.live import watch_screen

    with _status():
        watched.begin(to)
    with (
        closing(cluster_access.log_sizes(to)) as sizes,
        closing(GroupOffsets(to, watched.group)) as offsets,
    ):
        offsets.check(cluster_access.CALL_SECONDS)
        topic = TopicWatch(sizes, offsets, to.partitions)
        if once:
            view = topic.first(FIRST_S)
            if view is None:
                raise StageError(f"no rates of topic {to.topic!r} after {FIRST_S:g} s")
            watched.show(view, watch_screen.printed)
            return
        try:
            with watch_screen.screen() as screen:
                topic.views(watched.period_s, lambda view: watched.show(view, screen))
        except (Interrupted, BrokenPipeError):
            # Ctrl-C, and the end of a pager, are the usual ends.
            return


@contextmanager
def _status() -> Iterator[None]:
    """Say in a terminal what takes long at the first time."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status("Loading strategies; the first time, they are compiled"):
        yield
