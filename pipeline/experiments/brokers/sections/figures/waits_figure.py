"""99th percentiles of producers' waits, window by window: while partitions move, and otherwise."""

from __future__ import annotations

import numpy as np

from pipeline.experiments.brokers.results.broker_study import Study
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import TEXT_SIZE, Panel, Scale, decade_above
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import numbers
from schemas.tables.brokers.broker_columns import IDEMPOTENT, PLAIN
from schemas.tables.brokers.broker_pauses import MOVING, STILL

TITLE = "How long producers wait"

LEAST = 0.001
"""Lower end of the axis, s; shorter waits are drawn there."""

_LOOKS = {
    (STILL, PLAIN): Look("grey", "circle"),
    (MOVING, PLAIN): Look("red", "up"),
    (STILL, IDEMPOTENT): Look("green", "circle", dashed=True),
    (MOVING, IDEMPOTENT): Look("blue", "up", dashed=True),
}
_WORDS = {STILL: "no change", MOVING: "partitions move"}


def waits(study: Study, number: int) -> Figure | None:
    """Share of the windows whose 99th percentile of waits is at most a time."""
    rows = study.pauses.dropna(subset=["wait_p99_s"])
    groups = {
        key: np.sort(own["wait_p99_s"].to_numpy(dtype=np.float64))
        for key, own in rows.groupby(["period", "producers"])
    }
    drawn = {key: groups[key] for key in _LOOKS if key in groups}
    if not drawn:
        return None
    caption = (
        f"Experiment {study.name}. Share of the windows in which 99 % of the records are "
        "acknowledged within a time of when they were due, while partitions move and without a "
        "change; further left is better. Logarithmic axis."
    )
    alt = " ".join(
        f"{_name(key)}: median {numbers.seconds(float(np.median(sample)))}."
        for key, sample in drawn.items()
    )
    name = f"broker-waits-{number}"
    return compose(name, number, TITLE, caption, alt, lambda width: _draw(drawn, width))


def _name(key: tuple[str, str]) -> str:
    period, producers = key
    return f"{_WORDS[period]}, {producers}"


def _draw(drawn: dict[tuple[str, str], np.ndarray], width: float) -> tuple[list[str], float]:
    top, left, right = 40.0 + 18.0 * len(drawn), 58.0, width - 16.0
    bottom = top + 220.0
    high = decade_above(max(float(sample[-1]) for sample in drawn.values()), LEAST)
    x = Scale(LEAST, high, left, right, log=True)
    panel = Panel(left, top, right, bottom, x, Scale(0.0, 1.0, bottom, top))
    panel.axes("99 % wait at most, s", "share of windows", "{:g}".format, numbers.percent)
    for row, (key, sample) in enumerate(drawn.items()):
        panel.add(svg.polyline(_steps(panel, sample), _LOOKS[key].line))
        y = 10.0 + 18.0 * row
        panel.add(svg.line(left, y, left + 24, y, _LOOKS[key].line))
        words = f"{_name(key)} ({len(sample):,})"
        panel.add(svg.text(left + 32, y + TEXT_SIZE * 0.35, words))
    return panel.parts, bottom + 44.0


def _steps(panel: Panel, sample: np.ndarray) -> list[svg.Point]:
    """The empirical distribution as a staircase."""
    points = [panel.at(LEAST, 0.0)]
    for place, value in enumerate(sample):
        x = panel.x(max(float(value), LEAST))
        points += [(x, points[-1][1]), (x, panel.y((place + 1) / len(sample)))]
    return [*points, (panel.right, points[-1][1])]
