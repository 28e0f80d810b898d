"""Figures of groups over time, simulated, measured, or both side by side.

They draw what Figures 2 to 12 of Ezzeddine et al. 2024 draw of a group: the rate, in consumers
that it needs, the consumers that there are, and latencies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from algorithms.core.arrays import Floats, Longs
from pipeline.reporting.drawing import long_series, panel_pairs, svg
from pipeline.reporting.drawing.axes import Panel, Scale, decade_above, room_above
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.drawing.panel_pairs import Heights, Place
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.course_lines import LINES, MEASURED, SIMULATED, key

TITLE = "Rate, consumers and latency over time"

HEIGHTS = Heights()

LEAST_S = 0.001
"""Latencies below are drawn at the lower edge, s."""

_MEANINGS = {
    SIMULATED: "paid, also while they start",
    MEASURED: "those with partitions",
}


class Course(NamedTuple):
    """A group under a strategy over time, in steps of one length."""

    strategy: str
    source: str
    """`SIMULATED` or `MEASURED`."""
    step_s: float
    consumers: Longs
    needed: Floats
    """Consumers that the rate needs, with a fraction."""
    longest_s: Floats
    """Longest latency in each step, s; 0 without events."""


class Group(NamedTuple):
    """What lines across stand for."""

    rate: float
    """Events/s that a consumer serves."""
    objective_s: float
    """Latency of events in time, s."""


def over_time(
    name: str, number: int, where: str, courses: Sequence[Course], group: Group
) -> Figure | None:
    """Rate, consumers and latency of strategies, in their order; None without courses.

    where: What was run, in words that begin the caption.
    """
    if not courses:
        return None
    sources = dict.fromkeys(course.source for course in courses)
    consumers = "; ".join(f"{source}: {_MEANINGS[source]}" for source in sources)
    caption = (
        f"{where}, as Figures 2 to 12 of Ezzeddine et al. 2024. Above: consumers ({consumers}), "
        f"and as many as the events that arrive need at {group.rate:,.6g} events/s each (grey "
        "area). Below: the longest latency in each step of time, on a logarithmic axis; the line "
        f"across is the objective of {group.objective_s:g}{numbers.SPACE}s."
    )
    alt = "; ".join(_alt(course, group.objective_s) for course in courses)
    return compose(name, number, TITLE, caption, f"{alt}.", lambda w: _draw(courses, group, w))


def _alt(course: Course, objective_s: float) -> str:
    late = int((course.longest_s > objective_s).sum())
    return (
        f"{course.strategy}, {course.source}: {course.consumers.min()} to "
        f"{course.consumers.max()} consumers; {late} of {len(course.longest_s)} steps of "
        f"{course.step_s:g}{numbers.SPACE}s with events that were not in time, the slowest took "
        f"{numbers.seconds(float(course.longest_s.max()))}"
    )


def _draw(courses: Sequence[Course], group: Group, width: float) -> tuple[list[str], float]:
    strategies = list(dict.fromkeys(course.strategy for course in courses))
    most = room_above([float(values.max()) for c in courses for values in (c.consumers, c.needed)])
    longest = max(group.objective_s, *(float(one.longest_s.max()) for one in courses))
    drawn = key((course.source for course in courses), width)
    top = 20.0 if drawn else 0.0
    places, height = panel_pairs.places(len(strategies), width, HEIGHTS.cell, top)
    ends = most, decade_above(longest, LEAST_S)
    for place, strategy in zip(places, strategies, strict=True):
        own = [course for course in courses if course.strategy == strategy]
        drawn += _cell(own, place, ends, group.objective_s)
    return drawn, height


def _cell(
    courses: Sequence[Course], place: Place, ends: tuple[float, float], objective_s: float
) -> list[str]:
    """Both panels of one strategy, below its name."""
    left, top, width = place
    seconds = max(len(course.consumers) * course.step_s for course in courses)
    time = Scale(0.0, seconds, left + 58, left + width - 12)
    upper = panel_pairs.above(time, top + 42, HEIGHTS.upper, ends[0])
    upper.add(svg.text(left + 8, top + 16, courses[0].strategy, "bold"))
    return [*_consumers(upper, courses), *_latency(upper, courses, ends[1], objective_s)]


def _consumers(panel: Panel, courses: Sequence[Course]) -> list[str]:
    panel_pairs.count_axes(panel)
    first = courses[0]
    needed = [panel.at(x, y) for x, y in long_series.steps(first.needed, first.step_s)]
    floor = [(needed[-1][0], panel.bottom), (needed[0][0], panel.bottom)]
    panel.add(svg.polygon([*needed, *floor], "band f-grey"))
    for course in courses:
        line = [panel.at(x, y) for x, y in long_series.steps(course.consumers, course.step_s)]
        panel.add(svg.polyline(line, LINES[course.source]))
    panel_pairs.title(panel, "consumers")
    return panel.parts


def _latency(
    above: Panel, courses: Sequence[Course], longest: float, objective_s: float
) -> list[str]:
    panel = panel_pairs.below(above, HEIGHTS.lower, LEAST_S, longest)
    panel.axes("", "", "{:g}".format, "{:g}".format, y_ticks=panel.y.ticks(4))
    objective = panel.y(objective_s)
    panel.add(svg.line(panel.left, objective, panel.right, objective, "grid dotted"))
    for course in courses:
        line = [panel.at(x, y) for x, y in long_series.steps(course.longest_s, course.step_s)]
        panel.add(svg.polyline(line, LINES[course.source]))
    panel_pairs.title(panel, "longest latency, s")
    panel_pairs.time_unit(panel, "seconds")
    return panel.parts
