"""The figures of a live experiment."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.experiments.live.results.live_study import Study
from pipeline.experiments.live.sections.figures import (
    capacity_figure,
    lag_figure,
    predicted_figure,
    response_figure,
)
from pipeline.reporting.drawing.figure import Figure

FIGURES: tuple[Callable[[Study, int], Figure | None], ...] = (
    predicted_figure.predicted,
    lag_figure.over_time,
    response_figure.response,
    capacity_figure.speeds,
)
"""Figures of each experiment, in order; a new one is added here."""
