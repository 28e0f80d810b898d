"""The part of the tiny run with an application: two functions, one policy, two seeds, two steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.schemas.plain_rows import filled

Row = dict[str, Any]

APPLICATION = (
    '{"functions": {"read": {"mu": 2.0}, "write": {"mu": 1.0}}, "edges": [["read", "write"]], '
    '"sources": {"read": [[60.0, 1.0]]}}'
)

EXPERIMENT: Row = {
    "name": "applied",
    "application": APPLICATION,
    "policies": ["ds2"],
    "replicates": 2,
    "decision_s": 30.0,
    "startup_s": 0.0,
    "replace": False,
    "spacing": "exponential",
    "r_max": 1.0,
    "receiver_queue": 0,
    "start_gap_s": 0.0,
    "backlogs": [4],
    "receiver_queues": [1, 8],
    "grown_to": 2,
}

MEANS = {1: 1.5, 2: 2.5}
"""Mean response time by replicate, s."""

STEPS = {"read": ((1, 4, 4, 0), (1, 2, 2, 0)), "write": ((1, 4, 3, 1), (2, 2, 3, 0))}
"""Instances, arrivals, completions and backlog of each function and step."""

PUBLISHED = {
    "figure_key": "Russo Russo 2021: ds2_mean_s",
    "source": "A paper on applications",
    "location": "Section 5.2",
    "its_workload": "three functions",
    "its_strategy": "DS2",
    "candidate": "ds2",
    "figure": "mean response time",
    "unit": "s",
    "published": "2.7",
    "published_value": 2.7,
    "ours": "2 (0 to 4)",
    "our_value": 2.0,
    "low": 0.0,
    "high": 4.0,
    "interval_text": "0 to 4",
    "difference": "-",
    "verdict": "not comparable",
    "note": "",
}


def rows(run_id: str) -> dict[str, list[Row]]:
    """Rows of this experiment by table."""
    placed = [
        {"run_id": run_id, "experiment": "applied", "policy": "ds2", "replicate": replicate}
        for replicate in MEANS
    ]
    by_table = {
        "application_runs": [place | _run(place["replicate"]) for place in placed],
        "application_steps": [place | step for place in placed for step in _steps()],
        "function_steps": [place | step for place in placed for step in _function_steps()],
        "prefetch_crossings": list(_crossings(run_id)),
        "published_figures": [{"run_id": run_id, **PUBLISHED}],
    }
    return filled(by_table)


def _run(replicate: int) -> Row:
    mean = MEANS[replicate]
    instances = {"mean_instances": 2.5, "fewest_instances": 2, "most_instances": 3, "scalings": 1}
    responses = {"mean": mean, "p50": mean - 0.5, "p90": mean + 0.5, "p99": mean + 1.0}
    return (
        instances
        | responses
        | {
            "seed": 10 + replicate,
            "path": "read > write",
            "events": 6,
            "max": mean + 1.0,
            "peak": mean + 0.25,
            "above": 0.5,
        }
    )


def _crossings(run_id: str) -> Iterator[Row]:
    for queue in EXPERIMENT["receiver_queues"]:
        for replicate in MEANS:
            yield {
                "run_id": run_id,
                "experiment": "applied",
                "receiver_queue": queue,
                "backlog": 4,
                "replicate": replicate,
                "seed": 10 + replicate,
                "grown_to": 2,
                "seamless_s": 2.0 + 0.1 * queue,
                "restart_s": 2.0 + 0.1 * replicate,
                "staggered_s": 2.0,
            }


def _steps() -> list[Row]:
    totals = [sum(steps[i][0] for steps in STEPS.values()) for i in range(2)]
    return [
        {"step": i + 1, "begins_s": 30.0 * i, "seconds": 30.0, "instances": total}
        | {"rate": 1.0, "completed": 3, "mean": 1.25 if i else None}
        for i, total in enumerate(totals)
    ]


def _function_steps() -> list[Row]:
    names = ("instances", "arrivals", "completions", "backlog")
    return [
        {"function": function, "step": i + 1, "busy_s": 3.0, **dict(zip(names, step, strict=True))}
        for function, steps in STEPS.items()
        for i, step in enumerate(steps)
    ]
