"""A survey as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pipeline.base.text.durations import duration
from pipeline.base.text.plain_table import plain_table
from pipeline.base.text.printable import printable
from pipeline.inputs.traces.survey.survey_model import Cells, Stream, Survey, Timing

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

MAX_LISTED = 20
"""Partitions and gaps to list; the rest is counted."""

_NEAREST = (0, 5, 10, 15, 20, 25)


def lines(survey: Survey) -> list[RenderableType]:
    """Parts to print in order; names and times from the file are printed without control codes."""
    from rich.table import Table
    from rich.text import Text

    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_column(no_wrap=True)
    facts.add_column(overflow="fold")
    for name, said in _facts(survey):
        facts.add_row(name, Text(printable(said)))
    notes = [Text(printable(f"Note: {note}")) for note in survey.notes]
    return [facts, "", _rates(survey), *([""] if notes else []), *notes, "", "To run it:"]


def recognized(survey: Survey) -> str:
    """The form of the file, on one line."""
    unit = f", {survey.unit}" if survey.unit else ""
    return f"Recognized {survey.file} as {survey.format}{unit}"


def _facts(survey: Survey) -> Iterator[tuple[str, str]]:
    n, p = survey.measurements, len(survey.partitions)
    columns = f", {_many(p, 'partition')}" if p else ""
    yield "file", f"{survey.file}: {survey.format}, {_many(n, 'measurement')}{columns}"
    yield "time", _time(survey.timing)
    if survey.timing.step_seconds is not None:
        yield "step", _step(survey.timing, n)
    yield "gaps", _gaps(survey)
    if survey.stream is None:
        return
    yield "cells", _cells(survey.cells)
    yield "capacity", _capacity(survey, survey.stream)
    if survey.volatility is not None:
        v = survey.volatility
        yield (
            "volatility",
            f"rates change per iteration by {v.p50:.3g} % of the capacity (median), {v.p90:.3g} % "
            f"(90th percentile), {v.p99:.3g} % (99th); comparable to generated streams with "
            f"δ = {v.like_delta:.3g} ({_nearest(v.like_delta)})",
        )
    yield "stream", _stream(survey.stream)


def _time(timing: Timing) -> str:
    if timing.column is None:
        return "not in the file; measurements keep their order"
    span = "" if timing.span_seconds is None else f", {_duration(timing.span_seconds)}"
    return f"{timing.column}, {timing.first} to {timing.last}{span}"


def _step(timing: Timing, n: int) -> str:
    usual = f"{_duration(timing.step_seconds or 0.0)} (median)"
    if not timing.irregular_steps:
        return f"{usual}; regular"
    least, most = timing.shortest_step_seconds or 0.0, timing.longest_step_seconds or 0.0
    return (
        f"{usual}; {timing.irregular_steps:,} of {n - 1:,} steps deviate by more than 1 % "
        f"(range {_duration(least)} to {_duration(most)})"
    )


def _gaps(survey: Survey) -> str:
    if not survey.gaps:
        return "none"
    missing = sum(gap.missing for gap in survey.gaps)
    places = ", ".join(f"{gap.after:,} ({gap.missing:,})" for gap in survey.gaps[:MAX_LISTED])
    more = len(survey.gaps) - MAX_LISTED
    rest = f" and {more:,} more" if more > 0 else ""
    count = f"{len(survey.gaps):,} with {missing:,} missing iterations"
    return f"{count}; after measurement {places}{rest}"


def _cells(cells: Cells) -> str:
    if not cells.missing:
        return "complete: every partition exists throughout"
    return (
        f"{cells.missing:,} missing ({cells.missing_share:.1%}); arrivals of partitions: "
        f"{cells.arrivals:,}, departures: {cells.departures:,}"
    )


def _capacity(survey: Survey, stream: Stream) -> str:
    over = survey.beyond_capacity
    what = (
        f"{_rate(stream.capacity)} {survey.unit}{' (estimated)' if stream.capacity_guessed else ''}"
    )
    load = f"; the total load is {survey.total.median / stream.capacity:.3g} × capacity (median)"
    if not over:
        return f"{what}; no rate exceeds it{load}"
    listed = "; ".join(
        f"{b.name} in {b.iterations:,} iterations ({b.share:.1%}), up to {b.greatest:.3g} × it"
        for b in over[:MAX_LISTED]
    )
    more = len(over) - MAX_LISTED
    rest = f"; and {more:,} more" if more > 0 else ""
    many = "partition exceeds" if len(over) == 1 else "partitions exceed"
    own = "gets its own consumer" if len(over) == 1 else "get a consumer each"
    return f"{what}; {len(over):,} {many} it and {own}: {listed}{rest}{load}"


def _nearest(delta: float) -> str:
    nearest = min(_NEAREST, key=lambda value: abs(value - delta))
    return "above the paper's values" if delta > 27.5 else f"nearest value of the paper: {nearest}"


def _many(count: int, what: str) -> str:
    """A number of things."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def _stream(stream: Stream) -> str:
    how = "rates averaged per iteration" if stream.resampled else "rates as recorded"
    many = _many(stream.iterations, "iteration"), _many(stream.partitions, "partition")
    return (
        f"{many[0]} of {_duration(stream.iteration_seconds)} × {many[1]}, {how}; a run with "
        f"{stream.algorithms} algorithms takes about "
        f"{_duration(float(f'{stream.seconds:.1g}'))} and {stream.memory_gib:.1f} GiB"
    )


def _rates(survey: Survey) -> Table:
    """Rates of the partitions, the largest ones where there are many."""
    from rich.text import Text

    shown = plain_table()
    shown.add_column(", ".join(filter(None, ("rate", survey.unit))), overflow="fold")
    for name in ("minimum", "median", "maximum"):
        shown.add_column(name, justify="right")
    ranked = survey.partitions
    if len(ranked) > MAX_LISTED:
        ranked = tuple(sorted(ranked, key=lambda r: -r.greatest)[:MAX_LISTED])
    for row in (*ranked, survey.total):
        # Names come from the file: print them as text, not as markup.
        shown.add_row(Text(printable(row.name)), *map(_rate, (row.least, row.median, row.greatest)))
    rest = len(survey.partitions) - len(ranked)
    if rest:
        shown.caption = f"and {rest:,} more partitions with lower maximum rates"
    return shown


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 1000 else f"{rate:.4g}"


def _duration(seconds: float) -> str:
    """A length of time; steps can be short, so seconds have three digits."""
    return f"{seconds:.3g} s" if seconds < 60 else duration(seconds)
