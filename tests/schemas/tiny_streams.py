"""Streams of the tiny run: two of each experiment, with two partitions and two iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Row = dict[str, Any]

STREAM: Row = {
    "partitions": ["0", "1"],
    "n_iterations": 2,
    "topics": [""],
    "topic_sizes": [2],
    "seed": 40,
}


def rows(
    name: str, facts: Mapping[str, Any], rates: Sequence[Sequence[float | None]]
) -> dict[str, list[Row]]:
    """Rows of the streams ``<name>-r0001`` and ``-r0002``.

    Parameters
    ----------
    facts
        Values of both streams, such as run, experiment, delta and capacity.
    rates
        Rates of both streams, by iteration.
    """
    placed = [facts | {"stream_id": stream_id(name, r), "replicate": r} for r in (1, 2)]
    place = ("run_id", "experiment", "delta", "stream_id")
    return {
        "streams": [STREAM | stream for stream in placed],
        "measurements": [
            {name: stream.get(name) for name in place} | {"iteration": k, "rates": list(own)}
            for stream in placed
            for k, own in enumerate(rates, start=1)
        ],
        "measurements_audit": [sequence(stream["stream_id"]) for stream in placed],
    }


def stream_id(name: str, replicate: int) -> str:
    """Identifier of a stream."""
    return f"{name}-r{replicate:04d}"


def sequence(stream: str) -> Row:
    """What an audit counts of the iterations of a stream."""
    return {"stream_id": stream, "n_rows": 2, "n_distinct_iterations": 2, "last_iteration": 2}
