"""The figures of an experiment on autoscaling: its front, strategies over time, latencies."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.experiments.autoscaling.sections.figures import (
    over_time_figure,
    percentiles_figure,
    published_courses_figure,
    trade_off_figure,
)
from pipeline.experiments.autoscaling.sections.scaling_study import Study
from pipeline.reporting.drawing.figure import Figure
from pipeline.warehouse.runs.run_results import Results

Draw = Callable[[Results, Study, int], Figure | None]

FIGURES: tuple[Draw, ...] = (
    trade_off_figure.trade_off,
    over_time_figure.over_time,
    percentiles_figure.percentiles,
    published_courses_figure.courses,
)
"""Figures of each experiment, in order; a new one is added here."""
