"""The figures of experiments on applications."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.experiments.applications.results.application_study import Study
from pipeline.experiments.applications.sections.figures import courses_figure
from pipeline.reporting.drawing.figure import Figure

FIGURES: tuple[Callable[[Study, int], Figure | None], ...] = (
    courses_figure.source_rates,
    courses_figure.policies_over_time,
)
"""Figures of each experiment, in order; a new one is added here."""
