"""The part of the tiny run in which brokers join and leave: one joins, one's removal is cancelled,
and one leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.schemas.plain_rows import filled

Row = dict[str, Any]

EXPERIMENT = {
    "name": "elastic",
    "least_brokers": 3,
    "most_brokers": 4,
    "scalings": 3,
    "faults": ["cancelled"],
}
PRODUCERS = ("plain", "idempotent")
ACKNOWLEDGED = 600
WAITS = {"still": 0.01, "moving": 0.02, "whole": 0.03}
"""Median waits, s."""

_SCALINGS = (
    {"kind": "up", "broker": 4, "before": 3, "after": 4, "start_s": 7.0},
    {"kind": "down", "broker": 2, "before": 4, "after": 4, "fault": "cancelled"},
    {"kind": "down", "broker": 1, "before": 4, "after": 3},
)


def rows(run_id: str) -> dict[str, list[Row]]:
    """Rows of this experiment by table."""
    placed = {"run_id": run_id, "experiment": "elastic"}
    by_table = {
        "broker_runs": [placed | _run(one) for one in PRODUCERS],
        "broker_scalings": [placed | _scaling(n, one) for n, one in enumerate(_SCALINGS, 1)],
        "broker_pauses": [placed | row for row in _pauses()],
    }
    return filled(by_table)


def _run(producers: str) -> Row:
    return {
        "producers": producers,
        "planner": "least",
        "replication": 3,
        "partitions": 16,
        "records_per_s": 400.0,
        "scalings": 3,
        "kafka_version": "4.4.0",
        "cores": 2,
        "load": 0.5,
        "drained": True,
        "late_sends": 7,
        "acknowledged": ACKNOWLEDGED,
        "lost_high": 3.0 / ACKNOWLEDGED,
        "repeated": 2 if producers == "plain" else 0,
    }


def _scaling(number: int, fields: Row) -> Row:
    is_cancelled = "fault" in fields
    done = {} if is_cancelled else {"move_s": 10.0}
    return {
        "scaling": number,
        "outcome": "cancelled" if is_cancelled else "done",
        "controllers": 2 if is_cancelled else 1,
        "partitions": 36,
        "moves": 12,
        "bound": 12,
        "moved_bytes": 1000,
        "replica_spread": 1,
        "leader_spread": 1,
        "begins_s": 30.0 * number,
        "total_s": 20.0 + number,
        **done,
        **fields,
    }


def _pauses() -> Iterator[Row]:
    for number in range(1, len(_SCALINGS) + 1):
        for period, wait in WAITS.items():
            for producers in PRODUCERS:
                times = {"p50": wait, "p99": 2 * wait, "max": 3 * wait}
                yield {
                    "scaling": number,
                    "period": period,
                    "producers": producers,
                    "begins_s": 30.0 * number,
                    "seconds": 5.0,
                    "records": 100,
                    **{f"wait_{name}_s": value for name, value in times.items()},
                    **{f"gap_{name}_s": 10 * value for name, value in times.items()},
                }
