"""The packing algorithms of a latency figure once more, enlarged.

On the scale of Kafka's static assignments, which range over decades, they are all in one spot.
"""

from __future__ import annotations

import math

import pandas as pd

from pipeline.experiments.assignment import published
from pipeline.experiments.assignment.sections.figures import algorithm_style
from pipeline.experiments.assignment.sections.figures.latency_parts import (
    Crosses,
    Measure,
    points,
    published_points,
)
from pipeline.reporting.drawing import labels, svg
from pipeline.reporting.drawing.axes import TICK_ROOM, Panel, Scale
from pipeline.reporting.drawing.figure import WIDE

MANY = 4
"""Packing algorithms whose names fit next to Kafka's assignments."""

HEIGHT = 300.0


def is_crowded(static: pd.DataFrame, packing: pd.DataFrame) -> bool:
    """Whether names would cover each other if all were drawn in one panel."""
    return len(static) > 0 and len(packing) >= MANY


def enlarged(
    rows: pd.DataFrame, crosses: Crosses, measure: Measure, top: float, width: float
) -> tuple[list[str], float]:
    """A panel of the packing algorithms on linear axes, and the height that it needs."""
    x_low, x_high = _range(rows["mean_consumers"], 0.08)
    ends = pd.concat([rows[f"{measure.column}{end}"] for end in ("", "_low", "_high")])
    y_low, y_high = _range(measure.factor * ends, 0.12)
    left, right = 58.0, width - 24
    panel = Panel(
        left,
        top + 62,
        right,
        top + HEIGHT - 46,
        Scale(x_low, x_high, left, right),
        Scale(max(y_low, 0.0), y_high, top + HEIGHT - 46, top + 62),
    )
    panel.add(svg.text(8.0, top + 16, "Packing algorithms, enlarged", "panel"))
    unit = ", %" if measure.factor != 1 else ""
    panel.add(svg.text(8.0, panel.top - 12, measure.label + unit, "label"))
    panel.axes("mean consumers in use", "", _text, _text)
    points(panel, rows, measure, measure.factor)
    shown = {
        name: (x, y)
        for name, (x, y) in crosses.items()
        if x_low <= x <= x_high and y_low <= measure.factor * y <= y_high
    }
    published_points(panel, shown, measure, measure.factor)
    _names(panel, rows, measure, width)
    return panel.parts, HEIGHT + TICK_ROOM / 2


def _range(values: pd.Series[float], room: float) -> tuple[float, float]:
    """Least and greatest finite value, with some room beyond both."""
    finite = [float(value) for value in values if math.isfinite(value)] or [0.0, 1.0]
    span = (max(finite) - min(finite)) or abs(max(finite)) or 1.0
    return min(finite) - room * span, max(finite) + room * span


def _text(value: float) -> str:
    return f"{value:.6g}"


def _names(panel: Panel, rows: pd.DataFrame, measure: Measure, width: float) -> None:
    """Names; in a narrow drawing, of the most informative algorithms only."""
    is_informative = [
        algorithm_style.look(n).strong or n == published.LOWEST_CBS for n in rows["algorithm"]
    ]
    named = rows if width >= WIDE else rows[is_informative]
    places = [
        panel.at(float(x), measure.factor * float(y))
        for x, y in zip(named["mean_consumers"], named[measure.column], strict=True)
    ]
    bounds = labels.Box(panel.left, panel.top, panel.right, panel.bottom)
    names = [str(name) for name in named["algorithm"]]
    for label in labels.apart(labels.place(names, places, bounds, 12.0, [])):
        panel.add(label.drawn(algorithm_style.look(label.text).text))
