"""Statistics over replicates: rows of the tables of stage `statistics`.

Plain rows from plain scores, without Spark; the science is in `algorithms`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.core.seeds import derive_seed
from algorithms.inference.paired import resampled_means
from pipeline.experiments.assignment.statistics import (
    dominating_algorithms,
    front_indicators,
    mean_ranks,
    pairwise_comparisons,
)
from pipeline.experiments.assignment.statistics.score_matrices import (
    COLUMNS,
    METRICS,
    Scored,
    of_scores,
)
from schemas.tables import TABLES

__all__ = ["COLUMNS", "NAMES", "Scored", "of_scores", "rows"]

Rows = list[dict[str, Any]]

NAMES = ("comparisons", "rankings", "indicators", "dominance")
"""Tables that rows are made for."""


def rows(
    scored: list[Scored], seed: int, settings: Mapping[str, Mapping[str, Any]]
) -> dict[str, Rows]:
    """Rows of each table (without ``run_id``), by table; of experiments and δ in their order."""
    tables: dict[str, Rows] = {name: [] for name in NAMES}
    for unit in scored:
        # The same replicates are drawn for both metrics: intervals of a pair belong together.
        drawn = derive_seed(seed, "paired", unit.experiment, str(unit.delta))
        means = {metric: resampled_means(unit.values(metric), drawn) for metric in METRICS}
        tables["comparisons"] += pairwise_comparisons.rows(unit, means)
        tables["rankings"] += mean_ranks.rows(unit)
        tables["indicators"] += front_indicators.rows(unit, seed, settings.get(unit.experiment, {}))
        tables["dominance"] += dominating_algorithms.rows(unit, means)
    return {name: [_complete(name, row) for row in tables[name]] for name in NAMES}


def _complete(table: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with all columns of its table except ``run_id``; NaN becomes null."""
    names = [column.name for column in TABLES[table].columns if column.name != "run_id"]
    return {name: None if row.get(name) != row.get(name) else row.get(name) for name in names}
