"""Predicted and observed replicas over the load."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from algorithms.core.arrays import Floats
from pipeline.experiments.autoscaling.answers.capacity_over_load import Load, panel
from pipeline.experiments.autoscaling.confirmation.confirm import Confirmation
from pipeline.reporting.drawing import long_series, svg
from pipeline.reporting.drawing.figure import Figure, compose

_TOP, _ROW, _GAP, _AXIS, _UPPER, _LOWER = 8.0, 17.0, 36.0, 46.0, 190.0, 110.0
_LOOKS = ("line s-green strong", "line s-blue dashed", "line s-ink")


def figure(done: Confirmation, unit: str) -> Figure:
    """Draw the capacity of both over the load, and their replicas below."""
    load = Load(
        done.total, done.step_s, done.started_at, float(done.promise.record["asked"]["mu"]), unit
    )
    return compose(
        "confirmation",
        1,
        "Observed and predicted capacity over load",
        "Means of spans. Predicted: the recommended strategy, simulated on this load. Below, "
        "replicas.",
        f"On average {done.mean:.1f} replicas observed, {done.simulated.mean():.1f} simulated on "
        f"this load, {done.promise.replicas:.1f} predicted.",
        lambda width: _drawn(done, load, width),
    )


def _drawn(done: Confirmation, load: Load, width: float) -> tuple[list[str], float]:
    parts: list[str] = []
    names = ("observed", f"predicted: {done.promise.label}", f"load, {load.unit}")
    for row, (look, name) in enumerate(zip(_LOOKS, names, strict=True)):
        y = _TOP + _ROW * (row + 0.6)
        parts += [svg.line(8.0, y - 4.0, 36.0, y - 4.0, look), svg.text(42.0, y, name)]
    top = _TOP + _ROW * len(names) + _GAP
    for factor, height, label in (
        (load.mu, _UPPER, f"load and capacity, {load.unit}"),
        (1.0, _LOWER, "replicas"),
    ):
        is_last = height == _LOWER
        lines = [
            (line, look)
            for values, look in zip((done.replicas, done.simulated), _LOOKS, strict=False)
            for line in _lines(values * factor, load.step_s)
        ]
        if not is_last:
            lines.append((long_series.levels(load.total, np.mean, load.step_s), _LOOKS[-1]))
        series, looks = [line for line, _ in lines], [look for _, look in lines]
        parts += panel(load, (label, series, looks), top, height, width, is_last=is_last)
        top += height + (_AXIS if is_last else _GAP)
    return parts, top


def _lines(values: Floats, step_s: float) -> Iterator[list[svg.Point]]:
    """Lines of a series, broken where it is unknown."""
    line: list[svg.Point] = []
    for point in long_series.levels(values, np.mean, step_s):
        if not np.isnan(point[1]):
            line.append(point)
        elif line:
            yield line
            line = []
    if line:
        yield line
