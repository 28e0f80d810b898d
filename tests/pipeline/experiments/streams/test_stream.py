"""Streams as rows of the tables that they fill."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipeline.experiments.streams import stream
from pipeline.experiments.streams.stream import Stream
from pipeline.inputs.traces.partition_layout import Topic

pytestmark = pytest.mark.unit

GENERATED = Stream(
    stream_id="e-r0001",
    experiment="e",
    source="profile",
    delta=None,
    replicate=1,
    seed=7,
    n_iterations=2,
    layout=(Topic("", 3),),
    capacity=100,
    consumer_capacity=133.0,
    step_s=1.0,
    unit="events/s",
)
RATES = np.array([[1.0, np.nan], [0.0, 3.5]])
RECORDED = replace(
    GENERATED,
    layout=(Topic("a", 1), Topic("b", 1)),
    partitions=("a/4", "b/0"),
    delta=25.0,
    rates=RATES,
)


def test_partitions_that_are_numbers_are_not_listed() -> None:
    """Spark's tasks name them: a run can have a million streams."""
    first, second = stream.rows([GENERATED, RECORDED]).to_pylist()
    assert (first["partitions"], first["n_partitions"]) == (None, 3)
    assert (first["topics"], first["topic_sizes"], first["delta"]) == ([""], [3], None)
    assert (second["partitions"], second["n_partitions"]) == (["a/4", "b/0"], 2)
    assert (second["topics"], second["topic_sizes"], second["delta"]) == (["a", "b"], [1, 1], 25.0)


@pytest.mark.parametrize("one", [GENERATED, RECORDED], ids=["generated", "recorded"])
def test_rows_of_measurements(one: Stream) -> None:
    batch = stream.measurements(one.made_of, RATES)
    assert batch.schema == stream.MEASURED
    assert [tuple(row.values()) for row in batch.to_pylist()] == [
        ("e", one.delta, "e-r0001", 1, [1.0, None]),
        ("e", one.delta, "e-r0001", 2, [0.0, 3.5]),
    ]
