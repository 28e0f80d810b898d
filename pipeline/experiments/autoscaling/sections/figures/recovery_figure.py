"""Time until the lag is gone after each event at the busiest hour, by strategy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from pipeline.experiments.autoscaling.sections import strategy_style
from pipeline.experiments.autoscaling.sections.scaling_study import Row, Study
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import TICK_ROOM, Scale
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.sections import numbers

TITLE = "Time until the lag is gone, by event and strategy"

ROW, ABOVE, BELOW = 15.0, 28.0, 34.0
"""Heights of a strategy's row and of what stands above and below all of them, in pixels."""

NAMES, OPEN = 122.0, 16.0
"""Widths of the names, and of the place of times beyond the end, in pixels."""

_TICKS = {1.0: "1 s", 60.0: "1 min", 3600.0: "1 h"}


def recovery(rows: pd.DataFrame, study: Study, number: int) -> Figure | None:
    """A panel per event, a row per strategy.

    rows: Of `bad_hour_effects`, with their ``label``, strategies in the order of the page.
    """
    timed = rows.dropna(subset=["lag_gone_after_s"])
    if timed.empty:
        return None
    caption = (
        f"Experiment {study.name}. A panel per event, which begins with the busiest hour. Marks: "
        f"medians over {int(timed['seeds'].max())} seeds; bars: 95 % intervals; the axis is "
        "logarithmic. Further left is better. A hollow triangle at the right end: not before the "
        "end of the simulation. Hover over a mark to see its values."
    )
    name = f"recovery-{number}"
    return compose(name, number, TITLE, caption, _alt(timed), lambda width: _draw(timed, width))


def _by_event(rows: pd.DataFrame) -> list[tuple[str, list[Row]]]:
    return [(str(event), own.to_dict("records")) for event, own in rows.groupby("event")]


def _alt(rows: pd.DataFrame) -> str:
    """All times of each event, the soonest first."""
    sentences = []
    for event, own in _by_event(rows):
        ordered = sorted(own, key=lambda row: float(row["lag_gone_after_s"]))
        listed = [f"{row['label']} {_time(row['lag_gone_after_s'])}" for row in ordered]
        sentences.append(f"{event}: {', '.join(listed)}.")
    return " ".join(sentences)


def _time(seconds: float) -> str:
    return "not before the end" if math.isinf(seconds) else numbers.duration(float(seconds))


def _draw(rows: pd.DataFrame, width: float) -> tuple[list[str], float]:
    columns = 3 if width >= WIDE else 1
    events = _by_event(rows)
    cell = width / columns
    height = ABOVE + BELOW + ROW * max(len(own) for _, own in events)
    finite = [
        float(row[name])
        for _, own in events
        for row in own
        for name in ("lag_gone_after_s", "lag_gone_after_s_low", "lag_gone_after_s_high")
        if row[name] is not None and math.isfinite(row[name]) and row[name] > 0.0
    ]
    low, high = min(finite, default=1.0), max(finite, default=10.0)
    drawn: list[str] = []
    for i, (event, own) in enumerate(events):
        left, top = (i % columns) * cell, (i // columns) * height
        scale = Scale(0.9 * low, 1.1 * high, left + NAMES, left + cell - OPEN - 8, log=True)
        drawn += _panel(event, own, scale, left, top)
    return drawn, math.ceil(len(events) / columns) * height


def _panel(event: str, rows: Sequence[Row], x: Scale, left: float, top: float) -> list[str]:
    bottom = top + ABOVE + ROW * len(rows)
    drawn = [svg.text(left + 4, top + 14, event, "panel")]
    for seconds, words in _TICKS.items():
        if x.low <= seconds <= x.high:
            at = x(seconds)
            drawn.append(svg.line(at, top + ABOVE - 4, at, bottom, "grid"))
            drawn.append(svg.text(at, bottom + TICK_ROOM - 4, words, "tick", "middle"))
    drawn.append(svg.line(x.start, bottom, x.end + OPEN, bottom, "axis"))
    for place, row in enumerate(rows):
        y = top + ABOVE + ROW * (place + 0.5)
        name = strategy_style.short(row)
        drawn += [svg.text(x.start - 8, y + 4, name, "small", "end"), *_mark(row, x, y)]
    return drawn


def _mark(row: Row, x: Scale, y: float) -> list[str]:
    look = strategy_style.look(str(row["strategy"]))
    middle, low, high = (
        math.nan if row[f"lag_gone_after_s{end}"] is None else float(row[f"lag_gone_after_s{end}"])
        for end in ("", "_low", "_high")
    )
    beyond = x.end + OPEN / 2
    between = "" if math.isnan(low) else f" ({_time(low)} to {_time(high)})"
    tip = f"{row['label']}: {_time(middle)}{between}"
    bar = []
    if not math.isnan(low):
        start, end = (x(value) if math.isfinite(value) else beyond for value in (low, high))
        bar = [svg.line(start, y, end, y, look.bar)] if end - start > 1 else []
    if math.isinf(middle):
        return [*bar, svg.marker("right", beyond, y, f"mark hollow s-{look.colour}", tip)]
    return [*bar, svg.marker(look.mark, x(middle), y, look.point, tip)]
