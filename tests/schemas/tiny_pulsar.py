"""The part of the tiny run that ran on Pulsar: policies with both executors, and changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.schemas.plain_rows import filled

Row = dict[str, Any]

EXPERIMENT = {
    "name": "pulsed",
    "load_levels": [0.5, 1.5],
    "piece_s": 60.0,
    "policies": ["ds2"],
    "replicates": 1,
}
EXECUTORS = ("stock", "extended")
MEANS = {"stock": (0.9, 1.4), "extended": (0.6, 0.8)}
"""Mean responses in both intervals, s; the simulated ones are .6 and .8."""


def rows(run_id: str) -> dict[str, list[Row]]:
    """Rows of this experiment by table."""
    placed = {"run_id": run_id, "experiment": "pulsed"}
    by_table = {
        "pulsar_runs": [placed | _run(one) for one in EXECUTORS],
        "pulsar_intervals": [placed | row for one in EXECUTORS for row in _intervals(one)],
        "pulsar_steps": [placed | row for one in EXECUTORS for row in _steps(one)],
        "pulsar_changes": [placed | _change(one) for one in EXECUTORS],
    }
    return filled(by_table)


def _of(executor: str) -> Row:
    return {"executor": executor, "policy": "ds2", "replicate": 1}


def _run(executor: str) -> Row:
    first, second = MEANS[executor]
    return _of(executor) | {
        "intervals": 2,
        "decision_s": 30.0,
        "receiver_queue": 1,
        "guarantee": "atleast_once",
        "hold": "uninterruptible",
        "pulsar_version": "4.0.7",
        "cores": 2,
        "load": 0.5,
        "drained": True,
        "acknowledged": 240,
        "lost_high": 3.0 / 240,
        "repeated": 1 if executor == "stock" else 0,
        "changes": 1,
        "mean_instances": 1.5,
        "mean_s": (first + 3 * second) / 4,
        "p50_s": first,
        "p99_s": 2 * second,
        "max_s": 3 * second,
        "simulated_instances": 1.5,
        "simulated_mean_s": 0.75,
    }


def _intervals(executor: str) -> Iterator[Row]:
    for number, mean in enumerate(MEANS[executor], 1):
        simulated = MEANS["extended"][number - 1]
        yield _of(executor) | {
            "interval": number,
            "begins_s": 60.0 * (number - 1),
            "seconds": 60.0,
            "rate": 1.0 if number == 1 else 3.0,
            "instances": float(number),
            "events": 60 if number == 1 else 180,
            "mean_s": mean,
            "simulated_instances": float(number),
            "simulated_mean_s": simulated,
            "verdict": "agrees" if mean == simulated else "differs",
        }


def _steps(executor: str) -> Iterator[Row]:
    """Two in each interval; nothing comes out in the first one, measured or simulated."""
    for row in _intervals(executor):
        for half in range(2):
            number = 2 * row["interval"] - 1 + half
            mean, simulated = row["mean_s"], row["simulated_mean_s"]
            yield _of(executor) | {
                "step": number,
                "begins_s": 30.0 * (number - 1),
                "seconds": 30.0,
                "rate": row["rate"],
                "instances": row["instances"],
                "events": row["events"] // 2 if number > 1 else 0,
                "mean_s": mean if number > 1 else None,
                "backlog": number if number > 1 else None,
                "msg_backlog": number if number > 1 else None,
                "simulated_rate": row["rate"],
                "simulated_instances": row["interval"],
                "simulated_mean_s": simulated if number > 1 else None,
                "simulated_backlog": number,
            }


def _change(executor: str) -> Row:
    is_stock = executor == "stock"
    return _of(executor) | {
        "change": 1,
        "kind": "up",
        "function": "recognise",
        "at_s": 60.0,
        "window_s": 3.0,
        "before": 1,
        "after": 2,
        "call_s": 0.1,
        "kept": 0 if is_stock else 1,
        "restarted": 1 if is_stock else 0,
        "gap_s": 0.6 if is_stock else 0.3,
        "repeated": 1 if is_stock else 0,
    }
