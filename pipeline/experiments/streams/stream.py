"""A stream of a run: its row of `streams`, and the rates of a recorded one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from algorithms.core.arrays import Floats
from pipeline.inputs.traces.partition_layout import Topic
from pipeline.warehouse.spark import arrow

BYTES, EVENTS = "bytes/s", "events/s"
"""Units of rates."""

_STORED = arrow.contract("streams", without=("run_id",))
COLUMNS = _STORED.append(pa.field("n_partitions", pa.int32()))
"""Columns of `streams`, and the number of partitions."""

MEASURED = arrow.contract("measurements", without=("run_id",))
"""Columns of `measurements`."""

MADE_OF = (
    *("stream_id", "experiment", "delta", "initial_rate", "seed", "capacity"),
    *("n_iterations", "n_partitions"),
)
"""Columns that rates and rows of `measurements` are made of."""

Drawn = Callable[[Mapping[str, Any]], Floats]
"""Makes the rates of a generated stream, ``float64[N, P]``, of its `MADE_OF`, in Spark's tasks."""


@dataclass(frozen=True, slots=True)
class Stream:
    """What the contract of `streams` describes, column by column."""

    stream_id: str
    experiment: str
    source: str
    delta: float | None
    replicate: int
    seed: int
    n_iterations: int
    layout: tuple[Topic, ...]
    """Topics of the partitions, in order."""
    capacity: float
    consumer_capacity: float
    step_s: float
    unit: str
    initial_rate: str | None = None
    partitions: tuple[str, ...] | None = None
    """Names of the partitions; None where they are numbers from 0."""
    name: str | None = None
    digest: str | None = None
    started_at: datetime | None = None
    rates: Floats | None = None
    """``float64[N, P]`` of a recorded stream, NaN where a partition is absent; None of one whose
    rates are generated."""

    @property
    def n_partitions(self) -> int:
        """Number of all partitions."""
        return sum(self.topic_sizes)

    @property
    def made_of(self) -> dict[str, Any]:
        """Its `MADE_OF`."""
        return {name: getattr(self, name) for name in MADE_OF}

    @property
    def topics(self) -> list[str]:
        """Names of the topics."""
        return [topic.name for topic in self.layout]

    @property
    def topic_sizes(self) -> list[int]:
        """Partitions of each topic."""
        return [topic.partitions for topic in self.layout]


def rows(streams: Sequence[Stream]) -> pa.Table:
    """Their `COLUMNS`; `partitions` is null where partitions are numbers."""
    columns = {name: [getattr(one, name) for one in streams] for name in COLUMNS.names}
    return pa.table(columns, schema=COLUMNS)


def measurements(row: Mapping[str, Any], rates: Floats) -> pa.RecordBatch:
    """Rows of `measurements` of a stream, by its `MADE_OF`."""
    n = len(rates)
    return pa.RecordBatch.from_pydict(
        {
            "experiment": arrow.repeat(row["experiment"], n),
            "delta": pa.array([row["delta"]] * n, pa.float64()),
            "stream_id": arrow.repeat(row["stream_id"], n),
            "iteration": np.arange(1, n + 1, dtype=np.int32),
            "rates": arrow.lists(rates, np.isnan(rates)),
        },
        schema=MEASURED,
    )
