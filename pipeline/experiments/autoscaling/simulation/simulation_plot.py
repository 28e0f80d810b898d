"""Picture of simulations: rate, replicas, lag and late events over time, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from pipeline.base.text.printable import printable
from pipeline.experiments.autoscaling.simulation import clock_axis
from pipeline.experiments.autoscaling.simulation.candidate_runs import CandidateRun
from pipeline.experiments.autoscaling.workloads.workload_source import Workload
from pipeline.reporting.drawing import long_series, svg
from pipeline.reporting.drawing.axes import Panel, Scale, room_above
from pipeline.reporting.drawing.figure import WIDE, style
from pipeline.reporting.sections import numbers

COLOURS = ("blue", "red", "green", "purple", "amber", "teal")
"""Colours of the strategies, of figures.css, in their order."""

MOST_STRATEGIES = len(COLOURS)

_STYLES = ("", " dashed", " dash-dot")
_MOST_LETTERS = 60
_LEFT, _RIGHT, _TOP = 54.0, WIDE - 14.0, 30.0
_ROW, _GAP, _AXIS = 17.0, 34.0, 46.0
_UNITS = ((3.0 * 86_400.0, 86_400.0, "d"), (3.0 * 3_600.0, 3_600.0, "h"), (180.0, 60.0, "min"))


class _Line(NamedTuple):
    """A line of a panel: its points and its CSS classes."""

    points: list[svg.Point]
    css: str


class _Chart(NamedTuple):
    """A panel: its y label, height in pixels, and lines."""

    label: str
    height: float
    lines: Sequence[_Line]


def draw(workload: Workload, runs: Sequence[CandidateRun]) -> bytes:
    """Draw the simulations of a workload.

    runs: One run per strategy, at most `MOST_STRATEGIES`.
    Returns: An SVG file with its style: light, or dark where the viewer prefers that.
    """
    legend = [svg.text(8.0, 18.0, _title(workload), "panel"), *_legend(workload, runs)]
    top = _TOP + _ROW * (len(runs) + 1) + _GAP
    end_s = len(workload.rates) * workload.step_s
    parts = list(legend)
    charts = _charts(workload, runs)
    for chart in charts:
        clock = workload.started_at
        parts += _panel(chart, top, end_s, is_last=chart is charts[-1], started_at=clock)
        top += chart.height + _GAP
    height = top - _GAP + _AXIS
    paper = svg.polygon(((0.0, 0.0), (WIDE, 0.0), (WIDE, height), (0.0, height)), "hollow")
    drawing = svg.document(
        [paper, *parts], WIDE, height, "simulation", _title(workload), _alt(runs)
    )
    head, body = drawing.split(">", 1)
    return f"{head}><style>{style()}</style>{body}".encode()


def _title(workload: Workload) -> str:
    n, p = workload.rates.shape
    partitions = f"{p:,} partition{'s' * (p != 1)}"
    return f"{_shortened(workload.name)}: {n:,} steps of {workload.step_s:g} s, {partitions}"


def _shortened(name: str) -> str:
    """A name that leaves room in its line."""
    text = printable(name)
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


def _css(place: int) -> str:
    return f"line s-{COLOURS[place]}{_STYLES[place % len(_STYLES)]}"


def _legend(workload: Workload, runs: Sequence[CandidateRun]) -> list[str]:
    """A row per line: a sample of it and its name."""
    entries = [("line s-ink", f"rate of arriving {workload.counted}")]
    entries += [(_css(place), _described(run)) for place, run in enumerate(runs)]
    parts = []
    for row, (css, text) in enumerate(entries):
        y = _TOP + _ROW * (row + 0.6)
        parts.append(svg.line(8.0, y - 4.0, 36.0, y - 4.0, css))
        parts.append(svg.text(42.0, y, text))
    return parts


def _described(run: CandidateRun) -> str:
    result = run.detailed.result
    sla = (
        "no events"
        if result.sla_percent is None
        else f"{result.sla_percent:.2f} % within {run.settings.wsla_s:g} s"
    )
    replicas = numbers.plain(result.replica_minutes, 4)
    return f"{_shortened(run.candidate.label)}: {sla}, {replicas} replica-minutes"


def _alt(runs: Sequence[CandidateRun]) -> str:
    return "Rate, replicas, lag and late events over time. " + "; ".join(map(_described, runs))


def _charts(workload: Workload, runs: Sequence[CandidateRun]) -> list[_Chart]:
    """The panels, from top to bottom."""
    step_s = workload.step_s
    rate = runs[0].detailed.trajectory.arrived / step_s
    capacity, replicas, lag, late = [], [], [], []
    for place, run in enumerate(runs):
        steps, css = run.detailed.trajectory, _css(place)
        capacity.append(
            _Line(
                long_series.steps(np.asarray(steps.replicas, np.float64) * run.settings.mu, step_s),
                css,
            )
        )
        replicas.append(_Line(long_series.steps(steps.replicas, step_s), css))
        lag.append(_Line(long_series.curve(steps.lag, step_s), css))
        late.append(_Line(long_series.steps(steps.late / step_s, step_s), css))
    arrivals = _Line(long_series.steps(rate, step_s), "line s-ink")
    return [
        _Chart(
            f"rate, and capacity of the replicas, {workload.unit}", 150.0, [*capacity, arrivals]
        ),
        _Chart("replicas", 110.0, replicas),
        _Chart(f"lag as each step ends, {workload.counted}", 110.0, lag),
        _Chart(f"late {workload.unit}, by their departure", 110.0, late),
    ]


def _panel(
    chart: _Chart, top: float, end_s: float, is_last: bool, started_at: datetime | None = None
) -> list[str]:
    greatest = max(value for line in chart.lines for _, value in line.points)
    bottom = top + chart.height
    length, unit = _unit(end_s)
    x = Scale(0.0, end_s / length, _LEFT, _RIGHT)
    panel = Panel(_LEFT, top, _RIGHT, bottom, x, Scale(0.0, room_above([greatest]), bottom, top))
    ticks, label = x.ticks(10), f"time, {unit}"
    written: Callable[[float], str] = "{:g}".format
    if started_at is not None:
        ticks = [second / length for second in clock_axis.ticks(started_at, end_s)]
        label = clock_axis.LABEL
        written = _scaled(clock_axis.writer(started_at, end_s), length)
    panel.add(*(svg.line(x(tick), top, x(tick), bottom, "grid") for tick in ticks))
    panel.axes(label if is_last else "", chart.label, written, _short, ticks if is_last else ())
    # Broken lines above others: where two strategies do the same, both can be seen.
    for line in sorted(chart.lines, key=lambda line: "dash" in line.css):
        panel.add(svg.polyline([panel.at(t / length, value) for t, value in line.points], line.css))
    if greatest == 0.0:
        panel.add(svg.text((_LEFT + _RIGHT) / 2, (top + bottom) / 2, "none", "note", "middle"))
    return panel.parts


def _scaled(clock: Callable[[float], str], length: float) -> Callable[[float], str]:
    return lambda value: clock(value * length)


def _unit(end_s: float) -> tuple[float, str]:
    """Unit of the time axis, as its length in s and its name."""
    return next(((length, name) for least, length, name in _UNITS if end_s > least), (1.0, "s"))


def _short(value: float) -> str:
    for least, factor, unit in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if value >= least:
            return f"{value / factor:g}{unit}"
    return f"{value:g}"
