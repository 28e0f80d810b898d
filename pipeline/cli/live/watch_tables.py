"""A view of a topic, and what strategies would do, as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from live.user_cluster.strategy_line import NOBODY, StrategyLine
from live.user_cluster.topic_view import TopicView
from pipeline.cli.live.rate_units import byte_rate
from pipeline.reporting.sections import numbers

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

LEAST_ROWS = 5
"""Partitions that are shown at least, however small a terminal is."""

_OTHER_LINES = 11
"""Lines of a screen that are neither partitions nor strategies."""

_TO = "→ "
"""Before the name of a strategy, over the consumers that it would assign partitions to."""

_UNBOUND = 1_000
"""Columns of a terminal in which every table is as wide as it would be."""

_GAP = 3
"""Blanks between columns."""


def parts(
    view: TopicView,
    lines: Sequence[StrategyLine],
    head: str,
    notes: Sequence[str],
    most: int,
    width: int,
) -> Iterator[RenderableType]:
    """Parts to print in order.

    head, notes: Texts before and after the tables, printable.
    most: Partitions to show at most; the fastest are.
    width: Columns of the terminal. Owners of the first strategies are shown, as many as fit.
    """
    from rich.text import Text

    yield Text(head)
    yield _with_owners(view, lines, most, width)
    if lines:
        yield _strategies(lines)
    yield from (Text(f"Note: {note}") for note in notes)


def rows_that_fit(height: int, strategies: int) -> int:
    """Partitions that a terminal of a height has room for."""
    return max(height - _OTHER_LINES - strategies, LEAST_ROWS)


def _with_owners(view: TopicView, lines: Sequence[StrategyLine], most: int, width: int) -> Table:
    """Partitions, with the lag in seconds and owners by strategy as far as there is room."""
    from rich.console import Console

    console = Console(width=_UNBOUND)
    table = _partitions(view, [], most, has_seconds=True)
    has_seconds = console.measure(table).maximum <= width
    if not has_seconds:
        table = _partitions(view, [], most, has_seconds)
    left = width - console.measure(table).maximum
    shown: list[StrategyLine] = []
    for line in lines:
        left -= _GAP + len(_TO) + len(line.name)
        if left < 0:
            break
        shown.append(line)
    return _partitions(view, shown, most, has_seconds) if shown else table


def _partitions(
    view: TopicView, lines: Sequence[StrategyLine], most: int, has_seconds: bool
) -> Table:
    table = _table("partition")
    seconds = ("lag, s",) * has_seconds
    for head in ("rate", "events/s", "end offset", "committed", "lag", *seconds):
        table.add_column(head, justify="right")
    for line in lines:
        table.add_column(f"{_TO}{line.name}", justify="right", no_wrap=True)
    every = range(view.partitions)
    fastest = sorted(every, key=lambda p: (-view.rates.get(p, 0.0), p))[:most]
    for p in sorted(fastest):
        table.add_row(
            str(p),
            _byte_rate(view.rates.get(p)),
            _rate(view.event_rates.get(p)),
            _count(view.ends.get(p)),
            _count(view.committed.get(p)),
            _count(view.lag(p)),
            *(_seconds(view.lag_s(p)) for _ in seconds),
            *(_owner(line, p) for line in lines),
        )
    left = view.partitions - len(fastest)
    if left:
        table.add_row(f"{left:,} slower")
    lags = [lag for lag in map(view.lag, every) if lag is not None]
    waits = [wait for wait in map(view.lag_s, every) if wait is not None]
    table.add_section()
    table.add_row(
        "total",
        _byte_rate(_sum(view.rates.values())),
        _rate(_sum(view.event_rates.values())),
        _count(_sum(view.ends.values())),
        "",
        _count(sum(lags) if lags else None),
        *(_seconds(max(waits, default=None)) for _ in seconds),
    )
    return table


def _strategies(lines: Sequence[StrategyLine]) -> Table:
    table = _table("strategy")
    for head in ("consumers", "moves", "of the rate", "moves in all"):
        table.add_column(head, justify="right")
    for line in lines:
        has_moved = line.steps > 1
        table.add_row(
            line.name,
            f"{line.consumers:,}" if line.steps else numbers.MISSING,
            f"{line.moves:,}" if has_moved else numbers.MISSING,
            numbers.percent(line.moved) if has_moved else numbers.MISSING,
            f"{line.moves_in_all:,}" if has_moved else numbers.MISSING,
        )
    return table


def _table(first: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, no_wrap=True)
    return table


def _sum(values: object) -> float | None:
    terms = list(values)  # type: ignore[call-overload]
    return sum(terms) if terms else None


def _byte_rate(rate: float | None) -> str:
    return numbers.MISSING if rate is None else byte_rate(rate)


def _rate(rate: float | None) -> str:
    return numbers.plain(math.nan if rate is None else rate)


def _owner(line: StrategyLine, partition: int) -> str:
    """The consumer of a partition; a strategy may not have seen the partition yet."""
    owner = line.owners[partition] if partition < len(line.owners) else NOBODY
    return numbers.MISSING if owner == NOBODY else str(owner)


def _seconds(wait: float | None) -> str:
    return numbers.MISSING if wait is None else f"{wait:,.1f}"


def _count(number: float | None) -> str:
    return numbers.MISSING if number is None else f"{int(number):,}"
