"""The figures of an experiment on learning."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.learning.learning_study import Study
from pipeline.learning.report.figures import learning_curves_figure
from pipeline.report.drawing.figure import Outcome

FIGURES: tuple[Callable[[Study, int], Outcome], ...] = (learning_curves_figure.learning_curves,)
"""Figures of each experiment, in order; a new one is added here."""


def draw_all(study: Study, first: int) -> list[Outcome]:
    """Draw the figures of an experiment, numbered from ``first``."""
    return [draw(study, first + i) for i, draw in enumerate(FIGURES)]
