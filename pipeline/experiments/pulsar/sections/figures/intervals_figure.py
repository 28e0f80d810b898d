"""Load, instances and mean response per interval, measured and simulated: Figures 4 to 8."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from pipeline.experiments.pulsar.results.pulsar_study import Study
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import TEXT_SIZE, Panel, Scale, room_above
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import numbers

TITLE = "Instances and mean response, measured and simulated"

_COLOURS = ("blue", "red", "amber", "green", "violet", "grey")
_HEIGHT, _ROOM, _KEY = 130.0, 46.0, 18.0


class Curve(NamedTuple):
    """A policy with an executor."""

    name: str
    rows: pd.DataFrame
    colour: str


def over_time(study: Study, number: int) -> Figure | None:
    """Of the first replicate: three panels above each other; simulated values dashed."""
    if study.intervals.empty:
        return None
    first = study.intervals[study.intervals["replicate"] == 1]
    groups = first.groupby(["policy", "executor"], sort=False)
    curves = [
        Curve(f"{policy}, {executor}", rows, _COLOURS[place % len(_COLOURS)])
        for place, ((policy, executor), rows) in enumerate(groups)
    ]
    caption = (
        f"Experiment {study.name}, first replicate. Load, instances of all functions, and mean "
        "response of the events that came out in an interval of constant load; dashed: simulated "
        "with the same events (Figures 4 to 8 of the paper)."
    )
    name = f"pulsar-intervals-{number}"
    return compose(name, number, TITLE, caption, _alt(curves), lambda width: _draw(curves, width))


def _alt(curves: list[Curve]) -> str:
    return " ".join(
        f"{curve.name}: mean response up to {numbers.seconds(float(curve.rows['mean_s'].max()))}, "
        f"simulated {numbers.seconds(float(curve.rows['simulated_mean_s'].max()))}."
        for curve in curves
    )


def _draw(curves: list[Curve], width: float) -> tuple[list[str], float]:
    parts: list[str] = []
    for row, curve in enumerate(curves):
        y = 10.0 + _KEY * row
        parts.append(svg.line(16.0, y, 40.0, y, Look(curve.colour, "circle").line))
        parts.append(svg.text(48.0, y + TEXT_SIZE * 0.35, curve.name))
    top = 30.0 + _KEY * len(curves)
    panels: tuple[tuple[str, str, str | None, Callable[[float], str]], ...] = (
        ("events/s", "rate", None, "{:g}".format),
        ("instances", "instances", "simulated_instances", "{:g}".format),
        ("mean response, s", "mean_s", "simulated_mean_s", "{:g}".format),
    )
    for title, measured, simulated, form in panels:
        drawn = curves[:1] if simulated is None else curves
        parts += _panel(drawn, width, top, title, measured, simulated, form)
        top += _HEIGHT + _ROOM
    return parts, top


def _panel(
    curves: list[Curve],
    width: float,
    top: float,
    title: str,
    measured: str,
    simulated: str | None,
    form: Callable[[float], str],
) -> list[str]:
    left, right, bottom = 58.0, width - 16.0, top + _HEIGHT
    columns = [measured] if simulated is None else [measured, simulated]
    values = [float(v) for curve in curves for c in columns for v in curve.rows[c].dropna()]
    rows = curves[0].rows
    end = float((rows["begins_s"] + rows["seconds"]).max())
    y = Scale(0.0, room_above(values), bottom, top)
    panel = Panel(left, top, right, bottom, Scale(0.0, end, left, right), y)
    panel.axes("time, s", title, "{:g}".format, form)
    for curve in curves:
        for column in columns:
            look = Look(curve.colour, "circle", dashed=column == simulated)
            for points in _steps(panel, curve.rows, column):
                panel.add(svg.polyline(points, look.line))
    return panel.parts


def _steps(panel: Panel, rows: pd.DataFrame, column: str) -> list[list[svg.Point]]:
    """A level line per interval that has a value, joined where intervals touch."""
    lines: list[list[svg.Point]] = [[]]
    for row in rows.sort_values("interval").to_dict("records"):
        if pd.isna(row[column]):
            lines.append([])
            continue
        begin, end = row["begins_s"], row["begins_s"] + row["seconds"]
        lines[-1] += [panel.at(begin, row[column]), panel.at(end, row[column])]
    return [line for line in lines if line]
