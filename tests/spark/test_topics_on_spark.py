"""Kafka's range assignor on recorded traces of several topics, on real tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from algorithms.assignment import assignors
from pipeline.engine import steps
from pipeline.inputs.traces import trace_topics
from pipeline.settings.load import resolve
from pipeline.warehouse.runs import lock
from tests.spark.rows import matrix, rows

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_rows")]

FILES = {
    "sorted": ["orders,0", "orders,1", "orders,2", "clicks,0", "clicks,1"],
    "mixed": ["b,10", "a,0", "b,9", "a,1", "b,2", "a,2", "b,11"],
    "single": ["t,0", "t,1", "t,2", "t,3"],
}
"""Topic and partition of the rows of each file, in their order."""


def owners(partitions: list[str], n: int) -> list[int]:
    """Consumers by Kafka's own assignor, as `algorithms.assignment.assignors` has it."""
    owner_of = np.full(len(partitions), -1)
    for topic in trace_topics.of(partitions):
        placed = assignors.assign("range", len(topic), range(n), [-1] * len(topic))
        owner_of[list(topic)] = placed
    return [int(owner) for owner in owner_of]


def test_range_assigns_each_topic_of_each_trace(warehouse: Path, tmp_path: Path) -> None:
    paths = []
    for name, cells in FILES.items():
        lines = [f"{k},{cell},{10 * k + j}" for k in (1, 2, 3) for j, cell in enumerate(cells)]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("\n".join(["iteration,topic,partition,rate", *lines]) + "\n")
    sets = ["algorithms=BFD,kd_2,range_2,range_3", "capacity=50", "consumer_capacity=60"]
    ctx = steps.begin(resolve(None, None, sets, paths), warehouse, "topics", "me")
    for stage in ("write_streams", "run_algorithms"):
        steps.run_stage(stage, ctx)
    for table in ("streams", "assignments"):
        steps.check(table, ctx)
    named = rows(ctx, "streams").set_index("stream_id")["partitions"]
    assigned = rows(ctx, "assignments")
    for stream_id, partitions in named.items():
        for n in (2, 3):
            mine = (assigned.stream_id == stream_id) & (assigned.algorithm == f"range_{n}")
            part = assigned[mine].sort_values("iteration")
            assert matrix(part.consumers).tolist() == [owners(list(partitions), n)] * 3
            assert part.n_consumers.tolist() == [n] * 3
            assert part.n_migrations.tolist() == [0] * 3
    overloaded = assigned[(assigned.stream_id == "trace-mixed") & (assigned.algorithm == "range_2")]
    loads = 10.0 * 3 + np.arange(7)
    last = np.array(overloaded.sort_values("iteration").consumers.iloc[-1])
    assert max(loads[last == consumer].sum() for consumer in (0, 1)) > 50.0
    lock.release(ctx.paths.state("topics"))
