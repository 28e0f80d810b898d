"""Figures with their numbers: the paper's, or on somebody's own trace those of the page."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.experiments.assignment.paper import paper_runs
from pipeline.reporting.drawing.figure import Figure, Outcome
from pipeline.reporting.sections.section import Chart
from pipeline.warehouse.runs.run_results import Results


def chart(draw: Callable[[Results], Outcome], results: Results) -> Chart:
    """A figure of the page."""

    def numbered(number: int) -> Outcome:
        drawn = draw(results)
        own = isinstance(drawn, Figure) and not paper_runs.applies(results)
        return drawn.numbered(number) if own and isinstance(drawn, Figure) else drawn

    return numbered
