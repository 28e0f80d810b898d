"""Longest pauses of the output after changes of instances, and without one."""

from __future__ import annotations

import numpy as np

from pipeline.experiments.pulsar.results.pulsar_study import Study
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import TEXT_SIZE, Panel, Scale, decade_above
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import numbers
from schemas.tables.pulsar.pulsar_changes import DOWN, NONE, UP

TITLE = "Pauses of the output at changes"

LEAST = 0.01
"""Lower end of the axis, s; shorter pauses are drawn there."""

_LOOKS = {
    ("stock", NONE): Look("grey", "circle"),
    ("stock", UP): Look("red", "up"),
    ("stock", DOWN): Look("amber", "square"),
    ("extended", NONE): Look("grey", "circle", dashed=True),
    ("extended", UP): Look("blue", "up", dashed=True),
    ("extended", DOWN): Look("green", "square", dashed=True),
}
_WORDS = {NONE: "no change", UP: "one more", DOWN: "one fewer"}


def gaps(study: Study, number: int) -> Figure | None:
    """Share of the windows whose longest pause is at most a time; of changes at set times."""
    if not study.setting["resizings"] or study.changes.empty:
        return None
    groups = {
        key: np.sort(rows["gap_s"].to_numpy(dtype=np.float64))
        for key, rows in study.changes.groupby(["executor", "kind"])
    }
    drawn = {key: groups[key] for key in _LOOKS if key in groups}
    caption = (
        f"Experiment {study.name}. Share of the windows whose longest time without output is at "
        "most a time, after a change of instances and without one; further left is better. "
        "Logarithmic axis."
    )
    alt = " ".join(
        f"{_name(key)}: median {numbers.seconds(float(np.median(sample)))}."
        for key, sample in drawn.items()
    )
    name = f"pulsar-gaps-{number}"
    return compose(name, number, TITLE, caption, alt, lambda width: _draw(drawn, width))


def _name(key: tuple[str, str]) -> str:
    executor, kind = key
    return f"{executor}, {_WORDS[kind]}"


def _draw(drawn: dict[tuple[str, str], np.ndarray], width: float) -> tuple[list[str], float]:
    top, left, right = 40.0 + 18.0 * len(drawn), 58.0, width - 16.0
    bottom = top + 220.0
    high = decade_above(max(float(sample[-1]) for sample in drawn.values()), LEAST)
    x = Scale(LEAST, high, left, right, log=True)
    panel = Panel(left, top, right, bottom, x, Scale(0.0, 1.0, bottom, top))
    panel.axes("longest time without output, s", "share", "{:g}".format, numbers.percent)
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
