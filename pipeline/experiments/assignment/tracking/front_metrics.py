"""MLflow metrics of the fronts of a run: hypervolumes and shares of dominated replicates."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pipeline.experiments.assignment.results.metric_place import metric_place
from pipeline.reporting.tracking.run_content import spelt
from pipeline.warehouse.runs.run_results import Results

_INDICATORS = ("hypervolume", "hypervolume_low", "hypervolume_high", "epsilon")


def frontier(results: Results) -> dict[str, float]:
    """Metrics of the parent run, such as ``hypervolume/tradeoff d5/all``.

    ``dominated/tradeoff d5/MWF`` is the share of replicates on which the algorithm that beats
    MWF on the means also beats it, 0 if none does.
    """
    return _of_fronts(results["indicators"]) | _of_dominance(results["dominance"])


def _of_fronts(rows: pd.DataFrame) -> dict[str, float]:
    return {
        f"{name}/{_place(row)}/{row['front']}": float(row[name])
        for row in rows.to_dict("records")
        for name in _INDICATORS
        if not pd.isna(row[name])
    }


def _of_dominance(rows: pd.DataFrame) -> dict[str, float]:
    return {
        f"dominated/{_place(row)}/{spelt(str(row['algorithm']))}": row["replicates_dominated"]
        / row["replicates"]
        for row in rows.to_dict("records")
    }


def _place(row: dict[str, Any]) -> str:
    return metric_place(str(row["experiment"]), row["delta"])
