"""Consumers and lag of each strategy over time."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from algorithms.core.arrays import Longs
from pipeline.experiments.live.results.live_study import Study
from pipeline.experiments.live.sections.figures.live_style import look
from pipeline.reporting.drawing import long_series, panel_pairs, svg
from pipeline.reporting.drawing.axes import Panel, Scale, decade_above, room_above
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.drawing.panel_pairs import Heights, Place
from pipeline.reporting.sections import numbers

TITLE = "Consumers and lag over time"

MOST_SHOWN = 8
"""Strategies that are drawn."""

HEIGHTS = Heights()

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
    most = room_above([float(course.consumers.max()) for course in courses])
    lag = max(float(course.lag.max()) for course in courses)
    longest = decade_above(lag, LEAST_LAG)
    drawn: list[str] = []
    places, height = panel_pairs.places(len(courses), width, HEIGHTS.cell)
    for place, course in zip(places, courses, strict=True):
        drawn += _cell(course, place, most, longest)
    return drawn, height


def _cell(course: Course, place: Place, most: float, longest: float) -> list[str]:
    """Both panels of one strategy, below its name."""
    left, top, width = place
    step, unit = (1 / 60, "minutes") if len(course.lag) >= LONG_S else (1.0, "seconds")
    time = Scale(0.0, len(course.lag) * step, left + 58, left + width - 12)
    upper = panel_pairs.above(time, top + 56, HEIGHTS.upper, most)
    upper.add(svg.text(left + 8, top + 16, course.strategy, f"bold t-{course.look.colour}"))
    upper.add(svg.text(left + 8, top + 32, course.summary, "label small"))
    return [*_consumers(upper, course, step), *_lag(upper, course, step, unit, longest)]


def _consumers(panel: Panel, course: Course, step: float) -> list[str]:
    panel_pairs.count_axes(panel)
    panel.add(svg.polyline(_line(panel, course.consumers, step), f"line s-{course.look.colour}"))
    panel_pairs.title(panel, "consumers")
    return panel.parts


def _lag(above: Panel, course: Course, step: float, unit: str, longest: float) -> list[str]:
    colour = course.look.colour
    panel = panel_pairs.below(above, HEIGHTS.lower, LEAST_LAG, longest)
    panel.axes("", "", "{:g}".format, _records, y_ticks=panel_pairs.decades(panel.y))
    line = _line(panel, course.lag, step)
    corners = [*line, (line[-1][0], panel.bottom), (line[0][0], panel.bottom)]
    panel.add(svg.polygon(corners, f"band f-{colour}"), svg.polyline(line, f"line s-{colour}"))
    panel_pairs.title(panel, "lag, records")
    panel_pairs.time_unit(panel, unit)
    return panel.parts


def _records(value: float) -> str:
    return f"{value / 1e6:g}{numbers.SPACE}M" if value >= 1e6 else f"{value:,.0f}"


def _line(panel: Panel, values: Longs, step: float) -> list[svg.Point]:
    return [panel.at(x, y) for x, y in long_series.steps(values, step)]
