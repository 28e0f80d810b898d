"""The figures of an experiment on Pulsar."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.experiments.pulsar.results.pulsar_study import Study
from pipeline.experiments.pulsar.sections.figures import gaps_figure, measured_courses
from pipeline.reporting.drawing.figure import Figure

FIGURES: tuple[Callable[[Study, int], Figure | None], ...] = (
    measured_courses.source_rates,
    measured_courses.policies_over_time,
    gaps_figure.gaps,
)
"""Figures of each experiment, in order; a new one is added here."""
