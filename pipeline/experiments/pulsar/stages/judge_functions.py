"""Stage `judge_functions`: what a paper claims of Pulsar Functions, and what our runs show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.pulsar import published
from pipeline.reporting.sections import published_figure
from pipeline.warehouse.runs.run_results import Results

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(
    work: Work, pulsar_changes: pd.DataFrame, pulsar_runs: pd.DataFrame, pulsar_steps: pd.DataFrame
) -> Iterator[Mapping[str, object]]:
    """Rows of `published_figures`."""
    tables = {
        "pulsar_changes": pulsar_changes,
        "pulsar_runs": pulsar_runs,
        "pulsar_steps": pulsar_steps,
    }
    results = Results(tables)
    return published_figure.rows(published.figures(work.config.pulsar), results)
