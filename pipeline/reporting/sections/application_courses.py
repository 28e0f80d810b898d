"""Figures of applications over time, simulated, measured, or both side by side.

They draw what Figures 4 to 8 of Russo Russo et al. 2021 draw: the rate of the sources, and under
each policy instances and mean response times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from pipeline.reporting.drawing import panel_pairs, svg
from pipeline.reporting.drawing.axes import Panel, Scale, decade_above, room_above
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.drawing.panel_pairs import Heights
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.course_lines import LINES, key

RATES_TITLE = "Rate of the sources over time"
OVER_TIME_TITLE = "Instances and response times over time"

LEAST_S = 0.01
"""Seconds; shorter response times are drawn at the lower edge."""

HEIGHTS = Heights(cell=280.0, upper=84.0, lower=84.0)


class Course(NamedTuple):
    """An application under a policy over time."""

    policy: str
    source: str
    """``simulated`` or ``measured``."""
    steps: pd.DataFrame
    """By time: ``begins_s``, ``seconds``, ``instances``, ``rate`` and ``mean``, the mean response
    time in s, NaN where no event was completed; see table `application_steps`."""


def rates(name: str, number: int, caption: str, courses: Sequence[Course]) -> Figure | None:
    """The rate of the sources, which policies share; of each source of courses the first one."""
    first: dict[str, Course] = {}
    for course in courses:
        first.setdefault(course.source, course)
    shown = list(first.values())
    if not shown:
        return None
    parts = [
        f"{course.source}: {course.steps['rate'].min():.3g} to {course.steps['rate'].max():.3g} "
        "events/s"
        for course in shown
    ]
    return compose(
        name, number, RATES_TITLE, caption, f"{'; '.join(parts)}.", lambda w: _rates(shown, w)
    )


def over_time(
    name: str, number: int, caption: str, courses: Sequence[Course], bound_s: float
) -> Figure | None:
    """Instances and mean response times under each policy.

    bound_s: Bound of response times, drawn as a dotted line.
    """
    if not courses:
        return None
    alt = "; ".join(map(_alt, courses))
    return compose(
        name, number, OVER_TIME_TITLE, caption, f"{alt}.", lambda w: _draw(courses, bound_s, w)
    )


def _alt(course: Course) -> str:
    own, means = course.steps["instances"], course.steps["mean"].dropna()
    responses = (
        f"mean response times of {numbers.latency(float(means.min()))} to "
        f"{numbers.latency(float(means.max()))} s"
        if len(means)
        else "no completed events"
    )
    return (
        f"{course.policy}, {course.source}: {own.min():g} to {own.max():g} instances, {responses}"
    )


def _rates(courses: Sequence[Course], width: float) -> tuple[list[str], float]:
    bottom = 150.0
    most = room_above([float(course.steps["rate"].max()) for course in courses])
    panel = Panel(
        48.0, 36.0, width - 16.0, bottom, _minutes(courses, 48.0, width - 16.0),
        Scale(0.0, most, bottom, 36.0),
    )  # fmt: skip
    panel.axes("minutes", "events/s", "{:g}".format, "{:g}".format)
    for course in courses:
        panel.add(svg.stairs(_stairs(panel, course.steps, "rate"), LINES[course.source]))
    return [*panel.parts, *key((course.source for course in courses), width)], bottom + 52.0


def _minutes(courses: Sequence[Course], start: float, end: float) -> Scale:
    last = max(float((c.steps["begins_s"] + c.steps["seconds"]).max()) for c in courses)
    return Scale(0.0, last / 60.0, start, end)


def _draw(courses: Sequence[Course], bound_s: float, width: float) -> tuple[list[str], float]:
    policies = list(dict.fromkeys(course.policy for course in courses))
    most = room_above([float(course.steps["instances"].max()) for course in courses])
    longest = max([bound_s, *(float(course.steps["mean"].max()) for course in courses)])
    drawn = key((course.source for course in courses), width)
    above = 30.0 if drawn else 10.0
    places, height = panel_pairs.places(len(policies), width, HEIGHTS.cell, above)
    for (left, top, cell), policy in zip(places, policies, strict=True):
        own = [course for course in courses if course.policy == policy]
        time = _minutes(courses, left + 48.0, left + cell - 20.0)
        upper = panel_pairs.above(time, top + 44.0, HEIGHTS.upper, most)
        upper.add(svg.text(left + 8.0, top + 16.0, policy, "bold"))
        drawn += _instances(upper, own)
        drawn += _responses(upper, own, decade_above(longest, LEAST_S), bound_s)
    return drawn, height


def _instances(panel: Panel, courses: Sequence[Course]) -> list[str]:
    panel_pairs.count_axes(panel)
    for course in courses:
        panel.add(svg.stairs(_stairs(panel, course.steps, "instances"), LINES[course.source]))
    panel_pairs.title(panel, "instances")
    return panel.parts


def _responses(
    above: Panel, courses: Sequence[Course], longest: float, bound_s: float
) -> list[str]:
    panel = panel_pairs.below(above, HEIGHTS.lower, LEAST_S, longest)
    panel.axes("", "", "{:g}".format, "{:g}".format, y_ticks=panel.y.ticks(4))
    bound = panel.y(bound_s)
    panel.add(svg.line(panel.left, bound, panel.right, bound, "axis dotted"))
    for course in courses:
        for run in _unbroken(course.steps):
            panel.add(svg.stairs(_stairs(panel, run, "mean"), LINES[course.source]))
    panel_pairs.title(panel, "mean response, s")
    panel_pairs.time_unit(panel, "minutes")
    return panel.parts


def _unbroken(steps: pd.DataFrame) -> list[pd.DataFrame]:
    """Neighbouring steps with completed events."""
    is_known = steps["mean"].notna()
    runs = (is_known != is_known.shift()).cumsum()
    return [own for _, own in steps[is_known].groupby(runs[is_known])]


def _stairs(panel: Panel, steps: pd.DataFrame, column: str) -> list[svg.Point]:
    """Values that hold for their step."""
    ends = (steps["begins_s"] + steps["seconds"]) / 60.0
    return panel_pairs.held(panel, steps["begins_s"] / 60.0, ends, steps[column])
