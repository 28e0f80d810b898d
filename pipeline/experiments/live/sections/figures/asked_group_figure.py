"""Rate, consumers and latency over time of groups whose assignor asks, as in their paper."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from algorithms.core.arrays import Floats, Longs
from live.strategy_kinds import is_asking
from pipeline.experiments.live.evidence.served_records import OBJECTIVE_S
from pipeline.experiments.live.results.live_study import Study
from pipeline.experiments.live.sections.figures.live_style import look
from pipeline.reporting.drawing import long_series, svg
from pipeline.reporting.drawing.axes import Panel, Scale, decade_above, nice_step, room_above
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import numbers

TITLE = "Rate, consumers and latency over time"

CELL, UPPER, LOWER = 292.0, 100.0, 66.0
"""Heights of a strategy's two panels with all around them, and of each panel, in pixels."""

LEAST_S = 0.001
"""Latencies below are drawn at the lower edge, s."""


class Course(NamedTuple):
    """A strategy on the first stream: its values at each second."""

    strategy: str
    look: Look
    consumers: Longs
    needed: Floats
    """Consumers that the write speed needs at C̄, with a fraction."""
    longest_s: Floats
    """Longest time from due to processed, s; 0 in seconds without records."""

    @property
    def late(self) -> int:
        """Seconds with a record that was not in time."""
        return int((self.longest_s > OBJECTIVE_S).sum())


def over_time(study: Study, number: int) -> Figure | None:
    """Groups whose assignor asks on the first stream, in the order of the configuration."""
    courses = courses_of(study)
    if not courses:
        return None
    rate = float(study.setting["consumer_rate"]) / float(study.setting["record_bytes"])
    caption = (
        f"Experiment {study.name}, first stream, as Figures 2 to 12 of Ezzeddine et al. 2024. "
        "Above: consumers with partitions (line), and as many as the records that are due need at "
        f"{rate:,.6g} records/s each (grey area). Below: the longest time from due to processed of "
        "each second's records, on a logarithmic axis; the line across is the objective of "
        f"{OBJECTIVE_S:g}{numbers.SPACE}s."
    )
    name = f"asked-group-{number}"
    return compose(name, number, TITLE, caption, _alt(courses), lambda w: _draw(courses, w))


def courses_of(study: Study) -> list[Course]:
    """Groups whose assignor asks, with rows."""
    names = [one.strategy for one in study.outcomes]
    rows = dict(iter(study.over_time.groupby("strategy")))
    rate = float(study.setting["consumer_rate"])
    return [
        Course(
            name,
            look(name, names, True),
            rows[name]["consumers"].to_numpy(np.int64),
            rows[name]["speed"].to_numpy(np.float64) / rate,
            longest_of(rows[name]),
        )
        for name in names
        if is_asking(name) and name in rows
    ]


def longest_of(rows: pd.DataFrame) -> Floats:
    """Longest latency of each row, s; 0 without records."""
    longest: Floats = rows["longest_s"].astype(float).fillna(0.0).to_numpy(np.float64)
    return longest


def _alt(courses: list[Course]) -> str:
    sentences = [
        f"{one.strategy} has between {one.consumers.min()} and {one.consumers.max()} consumers; "
        f"records of {one.late} of {len(one.longest_s)} seconds were not all in time, the slowest "
        f"took {numbers.seconds(float(one.longest_s.max()))}"
        for one in courses
    ]
    return f"{'; '.join(sentences)}."


def _draw(courses: list[Course], width: float) -> tuple[list[str], float]:
    columns = 2 if width >= WIDE and len(courses) > 1 else 1
    cell = width / columns
    most = room_above([float(values.max()) for c in courses for values in (c.consumers, c.needed)])
    longest = decade_above(max(float(one.longest_s.max()) for one in courses), LEAST_S)
    drawn: list[str] = []
    for i, course in enumerate(courses):
        left, top = (i % columns) * cell, (i // columns) * CELL
        drawn += _cell(course, left, top, cell, (most, longest))
    return drawn, math.ceil(len(courses) / columns) * CELL


def _cell(
    course: Course, left: float, top: float, width: float, ends: tuple[float, float]
) -> list[str]:
    """Both panels of one strategy, below its name."""
    start, end, first = left + 58, left + width - 12, top + 42
    time = Scale(0.0, float(len(course.consumers)), start, end)
    upper = Panel(start, first, end, first + UPPER, time, Scale(0.0, ends[0], first + UPPER, first))
    upper.add(svg.text(left + 8, top + 16, course.strategy, f"bold t-{course.look.colour}"))
    return [*_consumers(upper, course), *_latency(upper, course, ends[1])]


def _consumers(panel: Panel, course: Course) -> list[str]:
    between = nice_step(max(panel.y.high / 5, 1.0))
    ticks = [between * k for k in range(int(panel.y.high / between) + 1)]
    panel.axes("", "", "{:g}".format, "{:g}".format, x_ticks=[], y_ticks=ticks)
    needed = [panel.at(x, y) for x, y in long_series.steps(course.needed, 1.0)]
    floor = [(needed[-1][0], panel.bottom), (needed[0][0], panel.bottom)]
    panel.add(svg.polygon([*needed, *floor], "band f-grey"))
    line = [panel.at(x, y) for x, y in long_series.steps(course.consumers, 1.0)]
    panel.add(svg.polyline(line, f"line s-{course.look.colour}"))
    panel.add(svg.text(panel.left, panel.top - 6, "consumers", "label small"))
    return panel.parts


def _latency(above: Panel, course: Course, longest: float) -> list[str]:
    top, colour = above.bottom + 26, course.look.colour
    scale = Scale(LEAST_S, longest, top + LOWER, top, log=True)
    panel = Panel(above.left, top, above.right, top + LOWER, above.x, scale)
    panel.axes("", "", "{:g}".format, "{:g}".format, y_ticks=scale.ticks(4))
    objective = panel.y(OBJECTIVE_S)
    panel.add(svg.line(panel.left, objective, panel.right, objective, "grid dotted"))
    line = [panel.at(x, y) for x, y in long_series.steps(course.longest_s, 1.0)]
    panel.add(svg.polyline(line, f"line s-{colour}"))
    panel.add(svg.text(panel.left, panel.top - 6, "longest latency, s", "label small"))
    panel.add(svg.text(panel.right, panel.floor + 34, "seconds", "label small", "end"))
    return panel.parts
