"""The figures of an experiment with brokers that join and leave."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.experiments.brokers.results.broker_study import Study
from pipeline.experiments.brokers.sections.figures import waits_figure
from pipeline.reporting.drawing.figure import Figure

FIGURES: tuple[Callable[[Study, int], Figure | None], ...] = (waits_figure.waits,)
"""Figures of each experiment, in order; a new one is added here."""
