"""What MLflow gets of an algorithm: thinned curves, and distances from bounds."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
import pytest

from pipeline.experiments.assignment.tracking.algorithm_metrics import CURVES, MOST_STEPS, cells
from tests.pipeline.experiments.assignment import report_cases

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("length", [1, 100, 101, 500, 5_000])
def test_long_curves_are_thinned_and_keep_their_end(length: int) -> None:
    results = report_cases.small()
    row = results["series"][results["series"]["algorithm"] == "MWF"].iloc[:1]
    steps = pd.DataFrame({"iteration": range(length, 0, -1)})
    series = row.drop(columns="iteration").merge(steps, how="cross").assign(rscore=1.0)
    (cell,) = [c for c in cells(results.with_tables(series=series)) if c.algorithm == "MWF"]
    for key in CURVES.values():
        iterations = [step.iteration for step in cell.curves if step.key == key]
        assert iterations[-1] == length
        assert min(length, MOST_STEPS) / 2 < len(iterations) <= MOST_STEPS
        assert len({b - a for a, b in pairwise(iterations)}) <= 1


@pytest.mark.slow
def test_distances_from_bounds_are_metrics_where_there_are_some() -> None:
    metrics = {
        cell.where + cell.algorithm: cell.metrics
        for cell in cells(report_cases.with_bounds(report_cases.paper()))
    }
    some = metrics["tradeoff d=5BFD"]
    assert some["cbs_optimum_low"] <= some["cbs_optimum_high"]
    assert some["rscore_gap_low"] == pytest.approx(some["mean_rscore"] / 2)
    assert "rscore_gap_low" not in metrics["tradeoff d=5NF"]
    assert "cbs_optimum_low" not in metrics["latency d=5BFD"]
