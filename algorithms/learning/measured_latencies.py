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
    MeasuredRow(3, 0.25, 0, (37.50, 38.00)),
    MeasuredRow(4, 0.25, 0, (30.00, 30.50)),
    MeasuredRow(5, 0.25, 0, (25.50, 26.00)),
    MeasuredRow(6, 0.25, 0, (22.50, 23.00)),
    MeasuredRow(7, 0.25, 0, (20.36, 20.86)),
    MeasuredRow(3, 1, 0, (45.00, 46.00)),
    MeasuredRow(4, 1, 0, (37.50, 38.50)),
    MeasuredRow(5, 1, 0, (33.00, 34.00)),
    MeasuredRow(6, 1, 0, (30.00, 31.00)),
    MeasuredRow(7, 1, 0, (27.86, 28.86)),
)
