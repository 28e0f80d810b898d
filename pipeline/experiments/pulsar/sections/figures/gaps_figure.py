"""Longest pauses of the output after changes of instances, and without one."""

from __future__ import annotations

import numpy as np

from pipeline.experiments.pulsar.results.pulsar_study import Study
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import cumulative_curves
from pipeline.reporting.sections.cumulative_curves import Curve
from schemas.tables.pulsar.pulsar_changes import DOWN, NONE, UP

TITLE = "Pauses of the output at changes"

LEAST_S = 0.01
"""Lower end of the axis; shorter pauses are drawn there."""

_AXES = ("longest time without output, s", "share")

_CURVES = {
    ("stock", NONE): Curve("stock, no change", Look("grey", "circle")),
    ("stock", UP): Curve("stock, one more", Look("red", "up")),
    ("stock", DOWN): Curve("stock, one fewer", Look("amber", "square")),
    ("extended", NONE): Curve("extended, no change", Look("grey", "circle", dashed=True)),
    ("extended", UP): Curve("extended, one more", Look("blue", "up", dashed=True)),
    ("extended", DOWN): Curve("extended, one fewer", Look("green", "square", dashed=True)),
}
"""By executor and kind of change."""


def gaps(study: Study, number: int) -> Figure | None:
    """Share of the windows whose longest pause is at most a time; of changes at set times."""
    if not study.setting["resizings"] or study.changes.empty:
        return None
    times_s = {
        key: rows["gap_s"].to_numpy(dtype=np.float64)
        for key, rows in study.changes.groupby(["executor", "kind"])
    }
    drawn = cumulative_curves.samples(_CURVES, times_s)
    caption = (
        f"Experiment {study.name}. Share of the windows whose longest time without output is at "
        "most a time, after a change of instances and without one; further left is better. "
        "Logarithmic axis."
    )
    return compose(
        f"pulsar-gaps-{number}",
        number,
        TITLE,
        caption,
        cumulative_curves.alt(drawn),
        lambda width: cumulative_curves.draw(drawn, LEAST_S, *_AXES, width),
    )
