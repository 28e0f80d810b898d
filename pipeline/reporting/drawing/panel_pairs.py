"""Cells of a grid, each with two panels below each other that share their axis of time.

The upper panel shows counts, the lower one times or lags on a logarithmic axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import Panel, Scale, nice_step
from pipeline.reporting.drawing.figure import WIDE

_GAP = 26.0
"""Between the two panels, pixels."""


class Heights(NamedTuple):
    """Pixels of a cell, with all around its panels, and of each panel."""

    cell: float = 292.0
    upper: float = 100.0
    lower: float = 66.0


class Place(NamedTuple):
    """Upper left corner and width of a cell, pixels."""

    left: float
    top: float
    width: float


def places(count: int, width: float, height: float, top: float = 0.0) -> tuple[list[Place], float]:
    """Cells row by row, two in a row of a wide figure; and the height down to their end."""
    columns = 2 if width >= WIDE and count > 1 else 1
    cell = width / columns
    cells = [Place((i % columns) * cell, top + (i // columns) * height, cell) for i in range(count)]
    return cells, top + math.ceil(count / columns) * height


def above(time: Scale, top: float, height: float, most: float) -> Panel:
    """The upper panel, as wide as the axis of time, whose counts are from 0 to ``most``."""
    bottom = top + height
    return Panel(time.start, top, time.end, bottom, time, Scale(0.0, most, bottom, top))


def count_axes(upper: Panel) -> None:
    """Axes of counts; the lower panel has the ticks of time."""
    step = nice_step(max(upper.y.high / 5.0, 1.0))
    ticks = [step * k for k in range(int(upper.y.high / step) + 1)]
    upper.axes("", "", "{:g}".format, "{:g}".format, x_ticks=[], y_ticks=ticks)


def below(upper: Panel, height: float, least: float, most: float) -> Panel:
    """The lower panel, whose values are from ``least`` to ``most``."""
    top = upper.bottom + _GAP
    scale = Scale(least, most, top + height, top, log=True)
    return Panel(upper.left, top, upper.right, top + height, upper.x, scale)


def decades(scale: Scale) -> list[float]:
    """Ticks of a logarithmic scale that begins and ends at a power of ten, at most five."""
    count = round(math.log10(scale.high / scale.low))
    return [scale.low * 10.0**k for k in range(0, count + 1, 1 + count // 4)]


def title(panel: Panel, words: str) -> None:
    """What the panel shows, above it."""
    panel.add(svg.text(panel.left, panel.top - 6, words, "label small"))


def time_unit(lower: Panel, unit: str) -> None:
    """Unit of the time, below the ticks."""
    lower.add(svg.text(lower.right, lower.floor + 34, unit, "label small", "end"))


def held(
    panel: Panel, starts: Iterable[float], ends: Iterable[float], values: Iterable[float]
) -> list[svg.Point]:
    """Values that hold from start to end, without the corners that add nothing."""
    corners: list[svg.Point] = []
    for start, end, value in zip(starts, ends, values, strict=True):
        y = round(panel.y(float(value)), 1)
        if corners and corners[-1][1] == y:
            corners[-1] = (panel.x(end), y)
        else:
            corners += [(panel.x(start), y), (panel.x(end), y)]
    return corners
