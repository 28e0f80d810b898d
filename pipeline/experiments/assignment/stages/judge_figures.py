"""Stage `judge_figures`: verdicts on the figures that the paper on assignment publishes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.assignment import published
from pipeline.experiments.assignment.paper import paper_runs
from pipeline.reporting.sections import published_figure
from pipeline.reporting.sections.published_figure import Row
from pipeline.warehouse.runs.run_results import Results

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(
    work: Work,
    streams: pd.DataFrame,
    scores: pd.DataFrame,
    latency: pd.DataFrame,
    pareto: pd.DataFrame,
) -> Iterator[Mapping[str, object]]:
    """Rows of `published_figures`."""
    tables = {"streams": streams, "scores": scores, "latency": latency, "pareto": pareto}
    return rows(Results(tables, {"config": work.config.to_json(private=False)}))


def rows(results: Results) -> Iterator[Row]:
    """Each published figure with the value of the run, in the paper's order."""
    run = paper_runs.of_results(results)
    return published_figure.rows(published.figures(run.recorded), run)
