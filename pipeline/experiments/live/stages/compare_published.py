"""Stage `compare_published`: what papers publish on groups on brokers, and ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.live import published
from pipeline.experiments.live.running.played_workloads import played
from pipeline.reporting.sections import published_figure
from pipeline.warehouse.runs.run_results import Results

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(
    work: Work, live_runs: pd.DataFrame, live_plans: pd.DataFrame
) -> Iterator[Mapping[str, object]]:
    """Rows of `published_figures`."""
    results = Results({"live_runs": live_runs, "live_plans": live_plans})
    workloads = {one.name: played(one, work.config) for one in work.config.live}
    return published_figure.rows(published.figures(work.config.live, workloads), results)
