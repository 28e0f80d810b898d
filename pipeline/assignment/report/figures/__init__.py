"""The report's figures, numbered after the paper's Figures 5 to 12.

Figures 9 to 12 follow the authors' published analysis (CBS of all algorithms, CBS of the
modified ones, mean Rscore, Pareto fronts, each by δ). Figures 5 to 8 cover what Section VI-C
studies: consumers over time, distribution, percentiles and the share of data that waits.
Figures 13 and 14 go beyond the paper: fronts over replicates, and ranks that differ.
"""

from __future__ import annotations

from collections.abc import Callable

from pipeline.assignment.report.figures import (
    attainment_figure as attainment,
)
from pipeline.assignment.report.figures import (
    consumers_figure as consumers,
)
from pipeline.assignment.report.figures import (
    critical_difference_figure as critical_difference,
)
from pipeline.assignment.report.figures import (
    distribution_figure as distribution,
)
from pipeline.assignment.report.figures import (
    fronts_figure as fronts,
)
from pipeline.assignment.report.figures import (
    latency_figures as latency,
)
from pipeline.assignment.report.figures import (
    volatility_figures as by_delta,
)
from pipeline.report.drawing.figure import Figure, Omitted, Outcome, style
from pipeline.runs.run_results import ReportFrames

FIGURES: tuple[Callable[[ReportFrames], Outcome], ...] = (
    consumers.consumers,
    distribution.distribution,
    latency.percentile,
    latency.share_above_zero,
    by_delta.cbs_all,
    by_delta.cbs_zoom,
    by_delta.rscore,
    fronts.fronts,
    attainment.attainment,
    critical_difference.critical_differences,
)
"""All figures, in order; a new one is added here."""

__all__ = ["FIGURES", "Figure", "Omitted", "Outcome", "draw_all", "render_all", "style"]


def draw_all(frames: ReportFrames) -> list[Outcome]:
    """Draw every figure that the run has data for; of the others, why not."""
    return [draw(frames) for draw in FIGURES]


def render_all(frames: ReportFrames) -> dict[str, bytes]:
    """Return the figures as SVG files, by name without ending.

    The same frames give the same bytes. Figures that do not apply are left out.
    """
    drawn = draw_all(frames)
    return {figure.name: figure.standalone() for figure in drawn if isinstance(figure, Figure)}
