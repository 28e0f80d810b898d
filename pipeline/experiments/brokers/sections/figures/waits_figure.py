"""99th percentiles of producers' waits, window by window: while partitions move, and otherwise."""

from __future__ import annotations

import numpy as np

from pipeline.experiments.brokers.results.broker_study import Study
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import cumulative_curves
from pipeline.reporting.sections.cumulative_curves import Curve
from schemas.tables.brokers.broker_columns import IDEMPOTENT, PLAIN
from schemas.tables.brokers.broker_pauses import MOVING, STILL

TITLE = "How long producers wait"

LEAST_S = 0.001
"""Lower end of the axis; shorter waits are drawn there."""

_AXES = ("99 % wait at most, s", "share of windows")

_CURVES = {
    (STILL, PLAIN): Curve(f"no change, {PLAIN}", Look("grey", "circle")),
    (MOVING, PLAIN): Curve(f"partitions move, {PLAIN}", Look("red", "up")),
    (STILL, IDEMPOTENT): Curve(f"no change, {IDEMPOTENT}", Look("green", "circle", dashed=True)),
    (MOVING, IDEMPOTENT): Curve(f"partitions move, {IDEMPOTENT}", Look("blue", "up", dashed=True)),
}
"""By period and kind of producer."""


def waits(study: Study, number: int) -> Figure | None:
    """Share of the windows whose 99th percentile of waits is at most a time."""
    rows = study.pauses.dropna(subset=["wait_p99_s"])
    times_s = {
        key: own["wait_p99_s"].to_numpy(dtype=np.float64)
        for key, own in rows.groupby(["period", "producers"])
    }
    drawn = cumulative_curves.samples(_CURVES, times_s)
    if not drawn:
        return None
    caption = (
        f"Experiment {study.name}. Share of the windows in which 99 % of the records are "
        "acknowledged within a time of when they were due, while partitions move and without a "
        "change; further left is better. Logarithmic axis."
    )
    return compose(
        f"broker-waits-{number}",
        number,
        TITLE,
        caption,
        cumulative_curves.alt(drawn),
        lambda width: cumulative_curves.draw(drawn, LEAST_S, *_AXES, width),
    )
