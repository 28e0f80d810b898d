"""Load, capacity and lag of the compared groups over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from pipeline.experiments.autoscaling.answers.compared_groups import Shown
from pipeline.experiments.autoscaling.answers.recommendation_figures import brief
from pipeline.experiments.autoscaling.simulation import clock_axis
from pipeline.reporting.drawing import long_series, svg
from pipeline.reporting.drawing.axes import Panel, Scale, room_above
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.sections import numbers

COLOURS = ("blue", "green", "red")
_STYLES = ("", " strong", " dashed")
_LEFT, _END, _TOP, _ROW = 54.0, 20.0, 8.0, 17.0
_GAP, _AXIS, _UPPER, _LOWER = 36.0, 46.0, 190.0, 110.0
_HOUR_S = 3_600.0


class Load(NamedTuple):
    """What arrives, and when."""

    total: Floats
    """``[N]`` events/s in each step."""
    step_s: float
    started_at: datetime | None
    mu: float
    """Events/s that a replica serves."""
    unit: str


def capacity_figure(load: Load, groups: Sequence[Shown]) -> Figure:
    """Draw the load with the capacity of each group above their lag."""
    described = "; ".join(f"{each.title}, {brief(each.judged)}: {_words(each)}" for each in groups)
    # Means: a group that follows the load is else a solid block.
    span_s = long_series.span(len(load.total)) * load.step_s
    return compose(
        "capacity",
        1,
        "Capacity over load, and how far reading is behind",
        f"Means of spans of {numbers.duration(span_s)}. Below, the greatest lag of each "
        "span: for how long the event that is read next has waited, over all partitions.",
        f"Load and capacity over {numbers.duration(len(load.total) * load.step_s)}. {described}.",
        lambda width: _drawn(load, groups, width),
    )


def _words(shown: Shown) -> str:
    low, high = (numbers.plain(float(each(shown.replicas))) for each in (np.min, np.max))
    worst = numbers.duration(round(float(shown.behind_s.max())))
    return f"{low} to {high} replicas, at most {worst} behind"


def _drawn(load: Load, groups: Sequence[Shown], width: float) -> tuple[list[str], float]:
    legend = [("line s-ink", f"load, {load.unit}")]
    legend += [
        (_css(place), f"{each.title}: {brief(each.judged)}") for place, each in enumerate(groups)
    ]
    parts: list[str] = []
    for row, (css, text) in enumerate(legend):
        y = _TOP + _ROW * (row + 0.6)
        parts += [svg.line(8.0, y - 4.0, 36.0, y - 4.0, css), svg.text(42.0, y, text)]
    top = _TOP + _ROW * len(legend) + _GAP
    series = [*(each.replicas * load.mu for each in groups), load.total]
    arrives = [long_series.levels(each, np.mean, load.step_s) for each in series]
    looks = [*(_css(place) for place in range(len(groups))), "line s-ink"]
    parts += panel(load, (f"load and capacity, {load.unit}", arrives, looks), top, _UPPER, width)
    top += _UPPER + _GAP
    behind = [long_series.levels(each.behind_s, np.max, load.step_s) for each in groups]
    parts += panel(load, ("lag, s", behind, looks[:-1]), top, _LOWER, width, is_last=True)
    return parts, top + _LOWER + _AXIS


def _css(place: int) -> str:
    return f"line s-{COLOURS[place]}{_STYLES[place]}"


def panel(
    load: Load,
    lines: tuple[str, Sequence[Sequence[svg.Point]], Sequence[str]],
    top: float,
    height: float,
    width: float,
    *,
    is_last: bool = False,
) -> list[str]:
    """Draw lines over time. lines: Label, points of each line, and its looks."""
    label, series, css = lines
    end_s, right, bottom = len(load.total) * load.step_s, width - _END, top + height
    greatest = room_above([value for each in series for _, value in each])
    x, y = Scale(0.0, end_s, _LEFT, right), Scale(0.0, greatest, bottom, top)
    drawn = Panel(_LEFT, top, right, bottom, x, y)
    ticks, written, name = _clock(load, end_s, most=max(3, int((right - _LEFT) / 70)))
    drawn.add(*(svg.line(drawn.x(tick), top, drawn.x(tick), bottom, "grid") for tick in ticks))
    drawn.axes(name if is_last else "", label, written, _short, ticks if is_last else ())
    for points, look in zip(series, css, strict=True):
        drawn.add(svg.polyline([drawn.at(*point) for point in points], look))
    return drawn.parts


def _clock(load: Load, end_s: float, most: int) -> tuple[list[float], Callable[[float], str], str]:
    """Ticks by the clock where the recording has one, else by hours since its start."""
    if load.started_at is not None:
        ticks = clock_axis.ticks(load.started_at, end_s, most)
        return ticks, clock_axis.writer(load.started_at, end_s), clock_axis.LABEL
    hours = Scale(0.0, end_s / _HOUR_S, 0.0, 1.0).ticks(most)
    return [hour * _HOUR_S for hour in hours], lambda at: f"{at / _HOUR_S:g}", "time, h"


def _short(value: float) -> str:
    for least, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= least:
            return f"{value / (1e3 if unit == 'k' else least):g}{unit}"
    return f"{value:g}"
