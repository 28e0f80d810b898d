"""Stage `judge_figures`: verdicts on the figures that the paper on assignment publishes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.assignment.paper import reproduction, stored_verdicts
from pipeline.warehouse.runs.run_results import Results

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(
    work: Work,
    streams: pd.DataFrame,
    scores: pd.DataFrame,
    latency: pd.DataFrame,
    pareto: pd.DataFrame,
) -> Iterable[Mapping[str, object]]:
    """Rows of `published_figures`."""
    tables = {"streams": streams, "scores": scores, "latency": latency, "pareto": pareto}
    results = Results(tables, {"config": work.config.to_json(private=False)})
    return stored_verdicts.rows(reproduction.all_verdicts(results))
