"""End-to-end latencies of Kafka brokers with capped processors: `make bench-brokers` writes this.

What was measured, and how, is on docs/broker-curve-table.md.
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


ROWS: Final = (
    MeasuredRow(3, 0.25, 0, (30.0, 31.0)),
    MeasuredRow(4, 0.25, 0, (25.0, 26.0)),
    MeasuredRow(5, 0.25, 0, (24.0, 25.0)),
    MeasuredRow(6, 0.25, 0, (23.0, 24.0)),
    MeasuredRow(7, 0.25, 0, (22.0, 23.0)),
)
