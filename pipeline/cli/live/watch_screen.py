"""Where views of a topic are shown: refreshed in a terminal, one after the other elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from live.user_cluster.strategy_line import StrategyLine
from live.user_cluster.topic_view import TopicView
from pipeline.base.process import output
from pipeline.cli.live import watch_tables

WIDTH = 1_000
"""Outside a terminal, lines are as long as they need to be."""


class Screen(Protocol):
    """Shows views."""

    def __call__(
        self, view: TopicView, lines: Sequence[StrategyLine], head: str, notes: Sequence[str]
    ) -> None:
        """Show one view, in place of the one before or after it."""


def printed(
    view: TopicView, lines: Sequence[StrategyLine], head: str, notes: Sequence[str]
) -> None:
    """Print a view with all partitions."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else WIDTH
    console = Console(highlight=False, markup=False, emoji=False, width=width)
    for part in watch_tables.parts(view, lines, head, notes, view.partitions, console.width):
        console.print(part)
    if output.is_lost():
        raise BrokenPipeError


@contextmanager
def screen() -> Iterator[Screen]:
    """Open the terminal's screen for views; without a terminal they are printed."""
    if not sys.stdout.isatty():
        yield printed
        return
    from rich.console import Console, Group
    from rich.live import Live

    console = Console(highlight=False, markup=False, emoji=False)
    with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:

        def show(
            view: TopicView, lines: Sequence[StrategyLine], head: str, notes: Sequence[str]
        ) -> None:
            most = watch_tables.rows_that_fit(console.height, len(lines))
            parts = watch_tables.parts(view, lines, head, notes, most, console.width)
            live.update(Group(*parts), refresh=True)

        yield show
