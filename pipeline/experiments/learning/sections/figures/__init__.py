"""The figures of experiments on learning."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.experiments.learning.results.group_study import GroupStudy
from pipeline.experiments.learning.results.learning_study import Study
from pipeline.experiments.learning.sections.figures import (
    group_curves_figure,
    group_fronts_figure,
    learning_curves_figure,
)
from pipeline.reporting.drawing.figure import Figure

FIGURES: tuple[Callable[[Study, int], Figure | None], ...] = (
    learning_curves_figure.learning_curves,
)
"""Figures of each experiment on brokers, in order; a new one is added here."""

GROUP_FIGURES: tuple[Callable[[GroupStudy, int], Figure | None], ...] = (
    group_fronts_figure.late_against_replicas,
    group_curves_figure.group_curves,
)
"""Figures of each experiment on groups, in order; a new one is added here."""
