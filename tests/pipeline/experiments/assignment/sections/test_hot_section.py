"""Hot partitions in the report."""

from __future__ import annotations

import json

import pytest

from pipeline.experiments.assignment.sections.hot_section import hot
from pipeline.warehouse.runs.run_results import Results

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(("capacity", "count"), [(4.0, 1), (10.0, 0)])
def test_a_partition_above_the_consumer_is_named(capacity: float, count: int) -> None:
    fastest = [["orders/3", 9.0, "noon"], ["orders/1", 2.0, "noon"]]
    traces = [{"path": "t.csv", "fastest": fastest, "hot": count}]
    config = {"experiments": [{"name": "trace", "consumer_capacity": capacity}], "traces": traces}
    words = hot(Results({}, {"config": json.dumps(config)}))
    assert len(words) == count
    for word in ("t.csv: Hot partition: orders/3", "2.25 × consumer_capacity at noon", "split it"):
        assert all(word in text for text in words)
    assert not any("orders/1" in text for text in words)


def test_a_trace_without_partitions_has_none() -> None:
    trace = {"path": "t", "fastest": [], "hot": None}
    config = {"experiments": [{"name": "a", "consumer_capacity": 5.0}], "traces": [trace]}
    assert hot(Results({}, {"config": json.dumps(config)})) == []
