"""Columns of table `streams` on clock, unit and topics, the same for every family."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pipeline.inputs.traces.partition_layout import Topic

BYTES, EVENTS = "bytes/s", "events/s"
"""Units of rates."""


def described(
    topics: Sequence[Topic], step_s: float, unit: str, started_at: datetime | None = None
) -> dict[str, object]:
    """Values of the columns.

    Parameters
    ----------
    topics
        Topics of the partitions, in order.
    step_s
        Length of an iteration, s.
    unit
        `BYTES` or `EVENTS`.
    started_at
        Start of the first iteration, UTC; None where it is not known.
    """
    return {
        "started_at": started_at,
        "step_s": float(step_s),
        "unit": unit,
        "topics": [topic.name for topic in topics],
        "topic_sizes": [topic.partitions for topic in topics],
    }


def unit_of(trace_unit: str, otherwise: str) -> str:
    """Unit of a trace's rates; ``otherwise`` where the file does not say it."""
    return {"bytes/s": BYTES, "messages/s": EVENTS}.get(trace_unit, otherwise)
