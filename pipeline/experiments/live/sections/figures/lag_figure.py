"""Consumers and lag of each strategy over time."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from algorithms.core.arrays import Longs
from pipeline.experiments.live.results.live_study import Study
from pipeline.experiments.live.sections.figures.live_style import look
from pipeline.reporting.drawing import long_series, svg
from pipeline.reporting.drawing.axes import Panel, Scale, decade_above, nice_step, room_above
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import numbers

TITLE = "Consumers and lag over time"

MOST_SHOWN = 8
"""Strategies that are drawn."""

CELL, UPPER, LOWER = 292.0, 100.0, 66.0
"""Heights of a strategy's two panels with all around them, and of each panel, in pixels."""

LEAST_LAG = 1.0
"""Records; what is below is drawn at the lower edge."""

LONG_S = 600
"""Seconds from which on the axis is in minutes."""


class Course(NamedTuple):
    """A strategy on the first stream: its values at each second, ``int64[seconds]``."""

    strategy: str
    summary: str
    look: Look
    consumers: Longs
    lag: Longs


def over_time(study: Study, number: int) -> Figure | None:
    """Consumers and lag of the strategies on the first stream, best first."""
    name, courses = f"over-time-{number}", courses_of(study)
    if not courses:
        return None
    caption = (
        f"Experiment {study.name}, first stream{_shown(courses)}. Above: consumers with "
        "partitions. Below: records that are due and not processed, of all partitions, on a "
        f"logarithmic axis.{_thinned(courses)}"
    )
    shown = courses[:MOST_SHOWN]
    return compose(name, number, TITLE, caption, _alt(courses), lambda w: _draw(shown, w))


def courses_of(study: Study) -> list[Course]:
    """Strategies with rows, the lowest 90th percentile of latency first."""
    names = [one.strategy for one in study.outcomes]
    rows = dict(iter(study.over_time.groupby("strategy")))
    return [
        Course(
            one.strategy,
            _summary(one.consumers, one.p90),
            look(one.strategy, names, True),
            _values(rows[one.strategy], "consumers"),
            _values(rows[one.strategy], "lag"),
        )
        for one in study.ranked
        if one.strategy in rows
    ]


def _summary(consumers: float, p90: float) -> str:
    words = f"{numbers.fixed(consumers, 1)} consumers on average"
    if math.isinf(p90):
        return words
    return f"{words}, p90 of latency {numbers.seconds(p90)}"


def _values(rows: pd.DataFrame, column: str) -> Longs:
    values: Longs = rows[column].to_numpy(np.int64)
    return values


def _shown(courses: list[Course]) -> str:
    if len(courses) <= MOST_SHOWN:
        return ""
    return f", the {MOST_SHOWN} strategies with the lowest 90th percentile of latency"


def _thinned(courses: list[Course]) -> str:
    """What is drawn of a series that has more values than a line has points."""
    spans = long_series.MOST_POINTS // 2
    seconds = max(len(course.lag) for course in courses)
    if seconds <= spans:
        return ""
    return f" Lines have the least and the greatest value of each {seconds / spans:.1f} s."


def _alt(courses: list[Course]) -> str:
    sentences = [
        f"{one.strategy} has {_range(one.consumers)} consumers, and a lag of up to "
        f"{numbers.count(float(one.lag.max()))} records, "
        f"{numbers.count(float(np.median(one.lag)))} at the median"
        for one in courses
    ]
    return f"{'; '.join(sentences)}."


def _range(values: Longs) -> str:
    least, most = values.min(), values.max()
    return f"{most}" if least == most else f"between {least} and {most}"


def _draw(courses: list[Course], width: float) -> tuple[list[str], float]:
    columns = 2 if width >= WIDE and len(courses) > 1 else 1
    cell = width / columns
    most = room_above([float(course.consumers.max()) for course in courses])
    lag = max(float(course.lag.max()) for course in courses)
    longest = decade_above(lag, LEAST_LAG)
    drawn: list[str] = []
    for i, course in enumerate(courses):
        left, top = (i % columns) * cell, (i // columns) * CELL
        drawn += _cell(course, left, top, cell, most, longest)
    return drawn, math.ceil(len(courses) / columns) * CELL


def _cell(
    course: Course, left: float, top: float, width: float, most: float, longest: float
) -> list[str]:
    """Both panels of one strategy, below its name."""
    step, unit = (1 / 60, "minutes") if len(course.lag) >= LONG_S else (1.0, "seconds")
    start, end, first = left + 58, left + width - 12, top + 56
    time = Scale(0.0, len(course.lag) * step, start, end)
    upper = Panel(start, first, end, first + UPPER, time, Scale(0.0, most, first + UPPER, first))
    upper.add(svg.text(left + 8, top + 16, course.strategy, f"bold t-{course.look.colour}"))
    upper.add(svg.text(left + 8, top + 32, course.summary, "label small"))
    return [*_consumers(upper, course, step), *_lag(upper, course, step, unit, longest)]


def _consumers(panel: Panel, course: Course, step: float) -> list[str]:
    between = nice_step(max(panel.y.high / 5, 1.0))
    ticks = [between * k for k in range(int(panel.y.high / between) + 1)]
    panel.axes("", "", "{:g}".format, "{:g}".format, x_ticks=[], y_ticks=ticks)
    panel.add(svg.polyline(_line(panel, course.consumers, step), f"line s-{course.look.colour}"))
    panel.add(svg.text(panel.left, panel.top - 6, "consumers", "label small"))
    return panel.parts


def _lag(above: Panel, course: Course, step: float, unit: str, longest: float) -> list[str]:
    top, colour = above.bottom + 26, course.look.colour
    scale = Scale(LEAST_LAG, longest, top + LOWER, top, log=True)
    panel = Panel(above.left, top, above.right, top + LOWER, above.x, scale)
    decades = round(math.log10(longest / LEAST_LAG))
    ticks = [LEAST_LAG * 10.0**k for k in range(0, decades + 1, 1 + decades // 4)]
    panel.axes("", "", "{:g}".format, _records, y_ticks=ticks)
    line = _line(panel, course.lag, step)
    corners = [*line, (line[-1][0], panel.bottom), (line[0][0], panel.bottom)]
    panel.add(svg.polygon(corners, f"band f-{colour}"), svg.polyline(line, f"line s-{colour}"))
    panel.add(svg.text(panel.left, panel.top - 6, "lag, records", "label small"))
    panel.add(svg.text(panel.right, panel.floor + 34, unit, "label small", "end"))
    return panel.parts


def _records(value: float) -> str:
    return f"{value / 1e6:g}{numbers.SPACE}M" if value >= 1e6 else f"{value:,.0f}"


def _line(panel: Panel, values: Longs, step: float) -> list[svg.Point]:
    return [panel.at(x, y) for x, y in long_series.steps(values, step)]
