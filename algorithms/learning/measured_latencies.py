"""Latencies and metrics of Kafka brokers with capped processors: `make bench-brokers` writes this.

What was measured, and how, is on docs/broker-curve-table.md. There are no rows while no machine
has carried a load with every number of brokers.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class MeasuredRow(NamedTuple):
    """A cluster under one load."""

    brokers: int
    load: float
    """Records per second over 4,000."""
    repeat: int
    latencies_ms: tuple[float, ...]
    """Mean from due to read of the records of each time between two scrapes, ms."""
    metrics: tuple[float, ...] = ()
    """The 37 metrics of all these times together, in the order of `broker_model.METRICS`; none in
    rows that were written without."""


ROWS: Final[tuple[MeasuredRow, ...]] = ()
