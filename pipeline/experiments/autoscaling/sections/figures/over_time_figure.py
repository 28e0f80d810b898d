"""Replicas, rate and lag over time, for a few strategies of an experiment."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

import pandas as pd

from pipeline.experiments.autoscaling.sections import strategy_style
from pipeline.experiments.autoscaling.sections.figures.service_scale import served
from pipeline.experiments.autoscaling.sections.scaling_study import Row, Study, shown
from pipeline.experiments.autoscaling.simulation import clock_axis
from pipeline.reporting.drawing import panel_pairs, svg
from pipeline.reporting.drawing.axes import Panel, Scale, decade_above, room_above
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.drawing.panel_pairs import Heights, Place
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results

TITLE = "Replicas, rate and lag over time"
HEIGHTS = Heights()

LEAST_LAG = 1.0
"""Events; what is below is drawn at the lower edge."""


class Course(NamedTuple):
    """A strategy over time."""

    row: Row
    """Its row of `trade_offs`."""
    steps: pd.DataFrame
    """Its trajectory by ``minutes``, with the most replicas that the rate of an interval needs as
    ``needed``."""
    started_at: datetime | None = None
    """When it begins, UTC; None without a clock."""


def over_time(results: Results, study: Study, number: int) -> Figure | None:
    """Replicas and lag of the strategies shown, on the first replicate."""
    name = f"over-time-{number}"
    rows = results.at(study.name)["trajectories"]
    started_at = _started_at(results, study)
    courses = [Course(row, _steps(rows, row, study), started_at) for row in shown(study)]
    courses = [course for course in courses if len(course.steps)]
    if not courses:
        return None
    caption = (
        f"Experiment {study.name}, first replicate. Above: paid replicas (line), and the replicas "
        f"that the arriving events need at {study.setting['mu']:,.10g} events/s each (grey area). "
        f"{_thinned(courses)}"
        "Below: greatest total lag of each interval, on a logarithmic axis. Shown are the best "
        "service, the cheapest that serves 99 % and one halfway to the lowest cost, of those that "
        "see only the past and are not dominated by others, and KEDA."
    )
    return compose(name, number, TITLE, caption, _alt(courses), lambda w: _draw(courses, w))


def _started_at(results: Results, study: Study) -> datetime | None:
    """Start of a recording with a clock."""
    streams = results.at(study.name)["streams"]
    times = [moment for moment in streams.get("started_at", ()) if not pd.isna(moment)]
    return times[0].to_pydatetime().replace(tzinfo=UTC) if times else None


def _thinned(courses: list[Course]) -> str:
    """What is drawn of intervals, if they have several steps."""
    steps = max(int(course.steps["iteration"].diff().max()) for course in courses)
    if steps < 2:
        return ""
    return (
        f"Intervals have {steps} steps: the line and the area are at the greatest value of each, "
        "the band reaches down to the fewest replicas. "
    )


def _steps(rows: pd.DataFrame, row: Row, study: Study) -> pd.DataFrame:
    mine = (rows["strategy"] == row["strategy"]) & (rows["setting"] == row["setting"])
    steps = rows[mine].sort_values("iteration").reset_index(drop=True)
    step_s, last = float(study.setting["step_s"]), int(study.setting["iterations"])
    ends = steps["iteration"].shift(-1, fill_value=last + 1)
    return steps.assign(
        minutes=(steps["iteration"] - 1) * step_s / 60.0,
        end=(ends - 1) * step_s / 60.0,
        needed=steps["arrived_max"] / step_s / float(study.setting["mu"]),
    )


def _alt(courses: list[Course]) -> str:
    sentences = [
        f"{row['label']} uses between {steps['replicas_min'].min():g} and "
        f"{steps['replicas'].max():g} replicas, with a lag of up to "
        f"{numbers.count(float(steps['lag'].max()))} events"
        for row, steps, _ in courses
    ]
    needed = max(float(steps["needed"].max()) for _, steps, _ in courses)
    return f"{'; '.join(sentences)}. The rate needs up to {numbers.plain(needed)} replicas."


def _draw(courses: list[Course], width: float) -> tuple[list[str], float]:
    most = room_above([float(s[c].max()) for _, s, _ in courses for c in ("replicas", "needed")])
    lag = max(float(steps["lag"].max()) for _, steps, _ in courses)
    longest = decade_above(lag, LEAST_LAG)
    drawn: list[str] = []
    places, height = panel_pairs.places(len(courses), width, HEIGHTS.cell)
    for place, course in zip(places, courses, strict=True):
        drawn += _cell(course, place, most, longest)
    return drawn, height


def _cell(course: Course, place: Place, most: float, longest: float) -> list[str]:
    """Both panels of one strategy, below its name."""
    left, top, width = place
    look = strategy_style.look(str(course.row["strategy"]))
    time = Scale(0.0, float(course.steps["end"].iloc[-1]), left + 48, left + width - 20)
    upper = panel_pairs.above(time, top + 56, HEIGHTS.upper, most)
    upper.add(svg.text(left + 8, top + 16, str(course.row["label"]), f"bold t-{look.colour}"))
    figures = (
        f"{served(course.row['sla_percent'])} within the SLA, "
        f"{numbers.plain(course.row['replica_minutes'])} replica-minutes on average"
    )
    upper.add(svg.text(left + 8, top + 32, figures, "label small"))
    return [*_replicas(upper, course, look.colour), *_lag(upper, course, longest, look.colour)]


def _replicas(panel: Panel, course: Course, colour: str) -> list[str]:
    panel_pairs.count_axes(panel)
    needed = _stairs(panel, course.steps, "needed")
    floor = [(needed[-1][0], panel.bottom), (needed[0][0], panel.bottom)]
    panel.add(svg.stairs([*needed, *floor], "area f-grey", closed=True))
    most = _stairs(panel, course.steps, "replicas")
    if (course.steps["replicas_min"] < course.steps["replicas"]).any():
        least = _stairs(panel, course.steps, "replicas_min")
        panel.add(svg.stairs([*most, *reversed(least)], f"band f-{colour}", closed=True))
    panel.add(svg.stairs(most, f"line s-{colour}"))
    panel_pairs.title(panel, "replicas")
    return panel.parts


def _lag(above: Panel, course: Course, longest: float, colour: str) -> list[str]:
    panel = panel_pairs.below(above, HEIGHTS.lower, LEAST_LAG, longest)
    ticks = panel_pairs.decades(panel.y)
    times, written, unit = _times(panel, course.started_at)
    panel.axes("", "", written, _events, times, ticks)
    lag = _stairs(panel, course.steps, "lag")
    floor = [(lag[-1][0], panel.bottom), (lag[0][0], panel.bottom)]
    panel.add(svg.stairs([*lag, *floor], f"area f-{colour}", closed=True))
    panel_pairs.title(panel, "lag, events")
    panel_pairs.time_unit(panel, unit)
    return panel.parts


def _times(
    panel: Panel, started_at: datetime | None
) -> tuple[list[float], Callable[[float], str], str]:
    """Ticks in minutes, by the clock if there is one."""
    most = max(2, int((panel.right - panel.left) / 48))
    if started_at is None:
        return panel.x.ticks(most), "{:g}".format, "minutes"
    end_s = 60.0 * panel.x.high
    clock = clock_axis.writer(started_at, end_s)
    ticks = [second / 60.0 for second in clock_axis.ticks(started_at, end_s, most)]
    return ticks, lambda minutes: clock(60.0 * minutes), clock_axis.LABEL


def _events(value: float) -> str:
    """A power of ten in few letters."""
    if value >= 1e6:
        return f"{value / 1e6:g}{numbers.SPACE}M"
    return f"{value / 1e3:g}{numbers.SPACE}k" if value >= 1e3 else f"{value:g}"


def _stairs(panel: Panel, steps: pd.DataFrame, column: str) -> list[svg.Point]:
    """Values that hold for their interval."""
    return panel_pairs.held(panel, steps["minutes"], steps["end"], steps[column])
