"""Picture of simulations: rate, replicas, lag and late events over time, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from pipeline.base.text.printable import printable
from pipeline.experiments.autoscaling.simulation import clock_axis, time_lag
from pipeline.experiments.autoscaling.simulation.candidate_runs import CandidateRun
from pipeline.experiments.autoscaling.workloads.workload_source import Workload
from pipeline.reporting.drawing import long_series, svg
from pipeline.reporting.drawing.axes import Panel, Scale, room_above
from pipeline.reporting.drawing.figure import WIDE, style
from pipeline.reporting.drawing.long_series import Values
from pipeline.reporting.sections import numbers

COLOURS = ("blue", "red", "green", "purple", "amber", "teal")
"""Colours of the strategies, of figures.css, in their order."""

MOST_STRATEGIES = len(COLOURS)

_STYLES = ("", " dashed", " dash-dot")
_MOST_LETTERS = 60
_LEFT, _RIGHT, _TOP = 54.0, WIDE - 20.0, 30.0
_ROW, _GAP, _AXIS = 17.0, 34.0, 46.0
_ROWS = 4
_UNITS = ((3.0 * 86_400.0, 86_400.0, "d"), (3.0 * 3_600.0, 3_600.0, "h"), (180.0, 60.0, "min"))


class _Line(NamedTuple):
    """A line of a panel, its CSS classes, and the area of what it leaves out."""

    points: list[svg.Point]
    css: str
    band: Sequence[svg.Point] = ()
    fill: str = ""


class _Chart(NamedTuple):
    """A panel: its y label, height in pixels, and lines."""

    label: str
    height: float
    lines: Sequence[_Line]

    @property
    def greatest(self) -> float:
        """The greatest value that is drawn."""
        return max(value for line in self.lines for _, value in (*line.points, *line.band))


def draw(workload: Workload, runs: Sequence[CandidateRun]) -> bytes:
    """Draw the simulations of a workload.

    runs: One run per strategy, at most `MOST_STRATEGIES`.
    Returns: An SVG file with its style: light, or dark where the viewer prefers that.
    """
    legend = [svg.text(8.0, 18.0, _title(workload), "panel"), *_legend(workload, runs)]
    top = _TOP + _ROW * (len(runs) + 1) + _GAP
    if spans := _spans(workload):
        legend.append(svg.text(8.0, top - _GAP + 0.6 * _ROW, spans, "label small"))
        top += _ROW
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


def _spans(workload: Workload) -> str:
    """What lines and bands show of series that have more steps than a line has levels."""
    steps = long_series.span(len(workload.rates))
    if steps == 1:
        return ""
    return (
        f"In spans of {numbers.duration(steps * workload.step_s)}: medians in bands from the least "
        "to the greatest; of lag and late events the greatest."
    )


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
    first = runs[0].detailed.trajectory
    capacity, replicas, lag, behind, late = [], [], [], [], []
    for place, run in enumerate(runs):
        steps, colour, css = run.detailed.trajectory, COLOURS[place], _css(place)
        capacity.append(
            _typical(np.asarray(steps.replicas, np.float64) * run.settings.mu, step_s, colour, css)
        )
        replicas.append(_typical(steps.replicas, step_s, colour, css))
        lag.append(_greatest(steps.lag, step_s, css))
        behind.append(_greatest(time_lag.behind(steps.arrived, steps.lag, step_s), step_s, css))
        late.append(_greatest(steps.late / step_s, step_s, css))
    arrivals = _typical(first.arrived / step_s, step_s, "ink", "line s-ink")
    unit, counted = workload.unit, workload.counted
    return [
        _Chart(f"rate, and capacity of the replicas, {unit}", 150.0, [*capacity, arrivals]),
        _Chart("replicas", 110.0, replicas),
        _Chart(f"lag as each step ends, {counted}", 110.0, lag),
        _Chart("lag in seconds, of all partitions together", 110.0, behind),
        _Chart(f"late {unit}, by their departure", 110.0, late),
    ]


def _typical(values: Values, step_s: float, colour: str, css: str) -> _Line:
    """Medians of spans in a band: a group that follows the load is else a solid block."""
    band = long_series.band(values, step_s)
    return _Line(long_series.levels(values, np.median, step_s), css, band, f"f-{colour}")


def _greatest(values: Values, step_s: float, css: str) -> _Line:
    return _Line(long_series.levels(values, np.max, step_s), css)


def _panel(
    chart: _Chart, top: float, end_s: float, is_last: bool, started_at: datetime | None = None
) -> list[str]:
    greatest = chart.greatest
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
    panel.axes(
        *(label if is_last else "", chart.label, written, _short, ticks if is_last else ()),
        panel.y.ticks(_ROWS),
    )
    areas = [line for line in chart.lines if line.band]
    panel.add(*(svg.polygon(_pixels(panel, a.band, length), f"band {a.fill}") for a in areas))
    # Broken lines above others: where two strategies do the same, both can be seen.
    for line in sorted(chart.lines, key=lambda line: "dash" in line.css):
        panel.add(svg.polyline(_pixels(panel, line.points, length), line.css))
    if greatest == 0.0:
        panel.add(svg.text((_LEFT + _RIGHT) / 2, (top + bottom) / 2, "none", "note", "middle"))
    return panel.parts


def _pixels(panel: Panel, points: Sequence[svg.Point], length: float) -> list[svg.Point]:
    return [panel.at(seconds / length, value) for seconds, value in points]


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
