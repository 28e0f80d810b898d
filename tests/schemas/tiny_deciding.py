"""The part of the tiny run in which an agent that was trained on measured rows decides on brokers,
and a rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from tests.schemas.plain_rows import filled

Row = dict[str, Any]

EXPERIMENT = {
    "name": "decided",
    "least_brokers": 3,
    "most_brokers": 5,
    "decided_by": ["dqn", "threshold"],
    "rewards": ["weighted"],
    "live_episodes": 1,
    "live_steps": 3,
    "decision_s": 10.0,
}

LATENCIES = (250.0, 350.0, None)
"""By decision, ms. Nothing was read in the last interval; the objective is 300 ms."""

REWARDS = (-0.125, -0.35, -0.5)


def rows(run_id: str) -> dict[str, list[Row]]:
    """Rows of this experiment by table."""
    placed = {"run_id": run_id, "experiment": "decided"}
    return filled({"broker_episodes": [placed | row for row in _rows()]})


def _rows() -> Iterator[Row]:
    for episode in (1, 2):
        yield from _episode("rows", "dqn", "learning", (3, 4, 4, 4), episode)
    yield from _episode("rows", "dqn", "acting", (3, 3, 3, 3))
    yield from _episode("kafka", "dqn", "acting", (3, 4, 4, 3))
    yield from _episode("rows", "threshold", "acting", (3, 4, 5, 5))
    yield from _episode("kafka", "threshold", "acting", (3, 4, 5, 5))


def _episode(
    cluster: str, decider: str, phase: str, brokers: Sequence[int], episode: int = 1
) -> Iterator[Row]:
    for step, (before, after) in enumerate(pairwise(brokers), start=1):
        is_refused = (cluster, decider, step) == ("kafka", "dqn", 2)
        yield {
            "cluster": cluster,
            "decider": decider,
            "reward": "weighted",
            "phase": phase,
            "episode": episode,
            "step": step,
            "state": f"{step:016x}",
            "refusal": "cpu_mean must be between 0.1 and 0.2" if is_refused else None,
            "action": after - before,
            "explores": phase == "learning",
            "before": before,
            "after": after,
            "reward_value": REWARDS[step - 1],
            "end_to_end_ms": LATENCIES[step - 1],
            "loss": 0.5 if phase == "learning" else None,
            **(_measured(before != after) if cluster == "kafka" else {}),
        }


def _measured(is_changed: bool) -> Row:
    return {
        "produce_ms": 20.0,
        "summed_ms": 40.0,
        "summed_busy_ms": 30.0,
        "seconds": 10.5,
        "scaling_s": 6.0 if is_changed else None,
        "moves": 12 if is_changed else 0,
        "kafka_version": "4.4.0",
    }
