"""The figures of a live experiment."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.experiments.live.results.live_study import Study
from pipeline.experiments.live.sections.figures import (
    asked_group_figure,
    asked_members_figure,
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

ASKING_FIGURES: tuple[Callable[[Study, int], Figure | None], ...] = (
    asked_group_figure.over_time,
    asked_members_figure.by_consumer,
)
"""Figures of the groups whose assignor asks, in their own section."""
