"""A comparison with a baseline, for a terminal, a log and an error message."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.base.text.printable import printable
from pipeline.reporting.regression.outcome import Outcome
from schemas.tables.common.differences import EQUAL, INTERVAL, OTHER_STREAMS

ORDER = ("moved", "new", "gone", "changed", "same")
LISTED = 40
"""Maximum number of differences in a message."""

LARGEST = 20
"""Number of differences in a table, unless all are wanted."""

DIGITS = (6, 9, 13, 17)
MISSING = "–"

_BECAUSE = {
    EQUAL: "same code and seed: values must be equal",
    INTERVAL: "different or unknown code: values may differ within the baseline's 95 % interval",
    OTHER_STREAMS: "different seed: values may differ within the spread of both runs",
}


def headline(comparison: Outcome) -> str:
    """Result of the comparison in a sentence."""
    if comparison.baseline_run_id is None:
        return f"Run {comparison.run_id} has no baseline to compare with yet."
    counts = [f"{comparison.counts[name]:,} {name}" for name in ORDER if name in comparison.counts]
    text = (
        f"Run {comparison.run_id} compared with {comparison.baseline_run_id}: {', '.join(counts)}"
    )
    return (
        f"{text} ({_BECAUSE[comparison.rows[0]['expected']]})." if comparison.rows else f"{text}."
    )


def warning(comparison: Outcome) -> str:
    """Warning for a run in which a value has moved."""
    n = len(comparison.moved)
    return (
        f"Run {comparison.run_id} is published, but {n:,} "
        f"{'value has' if n == 1 else 'values have'} moved compared with baseline "
        f"{comparison.baseline_run_id}."
    )


def remedy(comparison: Outcome) -> str:
    """How to accept the values that have moved."""
    return f"To accept this, run: groupscale promote {comparison.run_id} --reason …"


def listing(comparison: Outcome) -> str:
    """The warning, a line for each moved value with its name and both values, and the remedy."""
    lines = [_line(row) for row in comparison.moved[:LISTED]]
    more = len(comparison.moved) - len(lines)
    rest = [f"  and {more:,} more: {_all(comparison)}"] if more > 0 else []
    return "\n".join([warning(comparison), *lines, *rest, remedy(comparison)])


def _line(row: Mapping[str, Any]) -> str:
    now, before = pair(row["value"], row["baseline_value"])
    return f"  {_where(row)} {row['metric']}: {now}, baseline {before}{_within(row)}"


def _where(row: Mapping[str, Any]) -> str:
    delta = _delta(row)
    parts = (str(row["experiment"]), f"δ={delta}" if delta else "", str(row["algorithm"]))
    return " ".join(filter(None, parts))


def _delta(row: Mapping[str, Any]) -> str:
    return "" if _missing(row["delta"]) else f"{row['delta']:g}"


def _within(row: Mapping[str, Any]) -> str:
    if row["expected"] == EQUAL:
        return " (must be equal)"
    interval = _interval(row)
    return f" (expected {interval})" if interval else " (no interval: fewer than 2 streams)"


def _interval(row: Mapping[str, Any]) -> str:
    if _missing(row["low"]) or _missing(row["high"]):
        return ""
    return f"{row['low']:.6g} to {row['high']:.6g}"


def pair(value: float | None, other: float | None) -> tuple[str, str]:
    """Two numbers with enough digits to distinguish them."""
    texts = (MISSING, MISSING)
    for digits in DIGITS:
        texts = _number(value, digits), _number(other, digits)
        if texts[0] != texts[1]:
            break
    return texts


def _number(value: float | None, digits: int) -> str:
    return MISSING if value is None or math.isnan(value) else f"{value:.{digits}g}"


def _missing(value: float | None) -> bool:
    return value is None or math.isnan(value)


def table(
    comparison: Outcome, most: int | None = LARGEST, rest: str | None = None
) -> RenderableType:
    """Headline and the rows that differ: moved values first, then the largest differences.

    most: Maximum number of rows shown; None for all.
    rest: How to see all rows [default: the command that compares the run with its baseline].
    """
    parts: list[RenderableType] = [Text(printable(headline(comparison)))]
    if not comparison.alike:
        parts.append(Text("The configurations differ, so verdicts are unreliable.", "bold"))
    rows = sorted((row for row in comparison.rows if row["verdict"] != "same"), key=_rank)
    if rows:
        parts += [Text(""), _Rows(rows[:most])]
    if most is not None and len(rows) > most:
        more = len(rows) - most
        text = f"{most} of {len(rows):,} differences; {more:,} more: {rest or _all(comparison)}"
        parts += [Text(""), Text(printable(text))]
    if comparison.promotion is not None:
        who, why = comparison.promotion.promoted_by, comparison.promotion.reason
        when = f"{comparison.promotion.promoted_at:%Y-%m-%d %H:%M} UTC"
        parts += [Text(""), Text(printable(f"Accepted by {who} on {when}: {why}"))]
    return Group(*parts)


def _all(comparison: Outcome) -> str:
    return f"groupscale compare {comparison.run_id} --all"


def _rank(row: Mapping[str, Any]) -> tuple[int, float]:
    """Place of a row: by verdict, then by the size of the difference relative to the baseline."""
    value, before = row["value"], row["baseline_value"]
    if _missing(value) or _missing(before) or value == before:
        return ORDER.index(row["verdict"]), 0.0
    size = abs(value - before) / abs(before) if before else math.inf
    return ORDER.index(row["verdict"]), -size


class _Rows:
    """Rows as a table, or as lines where a terminal is too narrow for it: no value is cut."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        grid = _grid(self._rows)
        need = Measurement.get(console, options.update(max_width=100_000), grid).maximum
        if console.is_terminal and need > options.max_width:
            yield from (Text(printable(f"{row['verdict']}{_line(row)}")) for row in self._rows)
        else:
            console.width = max(console.width, need)  # Rich cuts lines to it
            yield from console.render(grid, options.update(max_width=max(options.max_width, need)))


def _grid(rows: Sequence[Mapping[str, Any]]) -> Table:
    grid = plain_table()
    for head in ("verdict", "experiment", "δ", "algorithm", "metric"):
        grid.add_column(head, no_wrap=True, justify="right" if head == "δ" else "left")
    for head in ("value", "baseline", "expected"):
        grid.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        now, before = pair(row["value"], row["baseline_value"])
        expected = "equal" if row["expected"] == EQUAL else _interval(row) or MISSING
        delta = _delta(row) or MISSING
        cells = (row["experiment"], delta, row["algorithm"], row["metric"], now, before, expected)
        style = "bold" if row["verdict"] == "moved" else ""
        grid.add_row(
            *(Text(printable(str(cell))) for cell in (row["verdict"], *cells)), style=style
        )
    return grid
