"""Cumulative shares of times on a logarithmic axis, a staircase for each sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import KEY_ROW, TEXT_SIZE, Panel, Scale, decade_above
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import numbers


class Curve(NamedTuple):
    """How one sample is drawn."""

    words: str
    look: Look


class Sample(NamedTuple):
    """Times that a curve shows."""

    curve: Curve
    times_s: np.ndarray
    """Ascending, one or more."""


def samples(curves: Mapping[Any, Curve], times_s: Mapping[Any, np.ndarray]) -> list[Sample]:
    """Those of the curves that have times, in the order of the curves."""
    return [Sample(curve, np.sort(times_s[key])) for key, curve in curves.items() if key in times_s]


def alt(drawn: list[Sample]) -> str:
    """The median of each sample, in words."""
    return " ".join(
        f"{sample.curve.words}: median {numbers.seconds(float(np.median(sample.times_s)))}."
        for sample in drawn
    )


def draw(
    drawn: list[Sample], least_s: float, x_label: str, y_label: str, width: float
) -> tuple[list[str], float]:
    """Elements and height of the figure, as `compose` takes them.

    least_s: Lower end of the axis; shorter times are drawn there.
    """
    top, left, right = 40.0 + KEY_ROW * len(drawn), 58.0, width - 16.0
    bottom = top + 220.0
    high = decade_above(max(float(sample.times_s[-1]) for sample in drawn), least_s)
    x = Scale(least_s, high, left, right, log=True)
    panel = Panel(left, top, right, bottom, x, Scale(0.0, 1.0, bottom, top))
    panel.axes(x_label, y_label, "{:g}".format, numbers.percent)
    for row, (curve, times_s) in enumerate(drawn):
        panel.add(svg.polyline(_steps(panel, times_s), curve.look.line))
        y = 10.0 + KEY_ROW * row
        panel.add(svg.line(left, y, left + 24, y, curve.look.line))
        words = f"{curve.words} ({len(times_s):,})"
        panel.add(svg.text(left + 32, y + TEXT_SIZE * 0.35, words))
    return panel.parts, bottom + 44.0


def _steps(panel: Panel, times_s: np.ndarray) -> list[svg.Point]:
    """The empirical distribution as a staircase; the axis draws what is below it at its end."""
    points = [(panel.left, panel.bottom)]
    for place, value in enumerate(times_s):
        x = panel.x(float(value))
        points += [(x, points[-1][1]), (x, panel.y((place + 1) / len(times_s)))]
    return [*points, (panel.right, points[-1][1])]
