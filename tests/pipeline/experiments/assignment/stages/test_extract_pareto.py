"""The front of `pareto`: the one that terminal and report mark."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from pipeline.experiments.assignment.stages.extract_pareto import extract
from schemas.tables.assignment.pareto import AVERAGED

pytestmark = pytest.mark.unit


def fronts(delta: float | None, **algorithms: tuple[float, float, float, int | None]) -> Any:
    """Algorithms on the front; of each cbs, mean consumers, Rscore and samples that wait."""
    rows = [
        dict.fromkeys(AVERAGED, 0.0)
        | {"experiment": "e", "delta": delta, "algorithm": name, "stream_id": "a"}
        | {"cbs": cbs, "cbs_common": cbs, "mean_consumers": consumers, "mean_rscore": rscore}
        | {"n_positive": waiting}
        for name, (cbs, consumers, rscore, waiting) in algorithms.items()
    ]
    results = extract(1)(pa.Table.from_pylist(rows)).to_pylist()
    assert all(row["eligible"] or not row["on_front"] for row in results)
    return {row["algorithm"] for row in results if row["on_front"]}


BEHIND = {"kd_2": (-0.5, 2.0, 0.0, 900)}
PACKING = {"MWF": (0.10, 10.1, 1.0, 5), "BFD": (0.0, 10.0, 9.0, 50), "NF": (0.2, 11.0, 9.0, 50)}


def test_a_group_that_falls_behind_is_on_no_front() -> None:
    """Too few consumers are the cheapest of all, and no answer."""
    assert fronts(5.0, **BEHIND, **PACKING) == {"MWF", "BFD"}
    assert fronts(None, **BEHIND, **PACKING) == {"MWF", "BFD"}


def test_a_static_assignment_counts_if_no_data_waits() -> None:
    assert fronts(None, kd_12=(0.3, 12.0, 0.0, 0), **PACKING) == {"MWF", "BFD", "kd_12"}
    # Without latencies nothing is known of it.
    assert fronts(None, kd_12=(0.3, 12.0, 0.0, None), **PACKING) == {"MWF", "BFD"}


def test_recorded_traces_compare_consumers_as_the_decision_does() -> None:
    """CBS is relative to each iteration's minimum, so that its order can differ."""
    two = {"MWF": (0.10, 10.1, 2.0, 5), "MBF": (0.05, 10.2, 2.0, 5)}
    assert fronts(None, **two) == {"MWF"}
    assert fronts(5.0, **two) == {"MBF"}
