"""Stage `judge_brokers`: the published claims on loss and moves, and what our scalings show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.brokers import published
from pipeline.reporting.sections import published_figure
from pipeline.warehouse.runs.run_results import Results

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(
    work: Work, broker_runs: pd.DataFrame, broker_scalings: pd.DataFrame
) -> Iterator[Mapping[str, object]]:
    """Rows of `published_figures`."""
    results = Results({"broker_runs": broker_runs, "broker_scalings": broker_scalings})
    return published_figure.rows(published.figures(work.config.brokers), results)
