"""Agents are trained in as many Spark tasks as there are agents, rewards and variants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from pipeline.experiments.learning.stages import train_agents
from pipeline.settings.load import resolve
from pipeline.warehouse.spark.stream_tasks import mapped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

NOTED = pa.schema([("agent", pa.string()), ("variant", pa.string()), ("task", pa.int64())])


def note(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Each row with the task that has it."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    for batch in batches:
        rows = [
            {"agent": row["agent"], "variant": row["variant"], "task": context.taskAttemptId()}
            for row in batch.to_pylist()
        ]
        yield pa.RecordBatch.from_pylist(rows, schema=NOTED)


def test_each_agent_and_variant_is_a_task_of_its_own(spark: SparkSession) -> None:
    sets = ["agents=dqn,double_dqn", "variants=action=target,action=delta,action=delta:weight=1"]
    (one,) = resolve("learning-groups-smoke", None, sets, []).learning
    cells = one.cells()
    assert len(cells) == 2 * 3
    tasks = mapped(train_agents.placed(spark, cells), note, NOTED).collect()
    assert {(row["agent"], row["variant"]) for row in tasks} == {
        (cell.agent, cell.variant) for cell in cells
    }
    assert len({row["task"] for row in tasks}) == len(tasks) == len(cells)
