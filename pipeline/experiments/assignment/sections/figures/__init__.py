"""The report's figures, numbered after the paper's Figures 5 to 12.

Figures 9 to 12 follow the authors' published analysis (CBS of all algorithms, CBS of the
modified ones, mean Rscore, Pareto fronts, each by δ). Figures 5 to 8 cover what Section VI-C
studies: consumers over time, distribution, percentiles and the share of data that waits.
Figures 13 and 14 go beyond the paper: fronts over replicates, and ranks that differ.
"""

from __future__ import annotations

from collections.abc import Callable

from pipeline.experiments.assignment.paper import paper_runs
from pipeline.experiments.assignment.sections.figures import (
    attainment_figure,
    consumers_figure,
    critical_difference_figure,
    distribution_figure,
    fronts_figure,
    latency_figures,
    scores_by_delta_figures,
)
from pipeline.reporting.drawing.figure import Figure, style
from pipeline.reporting.sections.section import Chart
from pipeline.warehouse.runs.run_results import Results

Draw = Callable[[Results, int], Figure | None]
"""Draws a figure with the given number; None if the run has no data for it."""

FIRST = 5
FIGURES: tuple[Draw, ...] = (
    consumers_figure.consumers,
    distribution_figure.distribution,
    latency_figures.percentile,
    latency_figures.share_above_zero,
    scores_by_delta_figures.cbs_all,
    scores_by_delta_figures.cbs_zoom,
    scores_by_delta_figures.rscore,
    fronts_figure.fronts,
    attainment_figure.attainment,
    critical_difference_figure.critical_differences,
)
"""All figures, in order, numbered from `FIRST` on; a new one is added here."""

__all__ = ["FIGURES", "FIRST", "Figure", "chart", "draw_all", "render_all", "style"]


def chart(draw: Draw, results: Results) -> Chart:
    """A figure of the page: with the paper's number, or on somebody's own trace the page's."""
    of_paper = FIRST + FIGURES.index(draw)
    return lambda number: draw(results, of_paper if paper_runs.applies(results) else number)


def draw_all(results: Results) -> list[Figure | None]:
    """Draw every figure that the run has data for."""
    return [draw(results, number) for number, draw in enumerate(FIGURES, FIRST)]


def render_all(results: Results) -> dict[str, bytes]:
    """Return the figures as SVG files, by name without ending.

    The same results give the same bytes. Figures that do not apply are left out. One of these files
    is the README's picture, ``docs/front.svg``.
    """
    return {figure.name: figure.standalone() for figure in draw_all(results) if figure}
