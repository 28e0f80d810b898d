"""The part of the tiny run that learns on a consumer group: one agent with two seeds, one rule."""

from __future__ import annotations

from typing import Any

from tests.schemas.plain_rows import filled

Row = dict[str, Any]

EXPERIMENT = {
    "name": "grouped",
    "environment": "group",
    "agents": ["dqn"],
    "rewards": ["late"],
    "variants": ["action=delta"],
    "seeds": 2,
    "episodes": 1,
    "rules": ["linear"],
}
_CELL = {"agent": "dqn", "reward": "late", "variant": "action=delta"}

STRATEGIES = {
    ("dqn", "action=delta", 1): 60.0,
    ("dqn", "action=delta", 2): 90.0,
    ("linear", "", 0): 75.0,
    ("clairvoyant", "weight=5", 0): 60.0,
}
"""Replica-seconds in each of two blocks."""


def rows(run_id: str) -> dict[str, list[Row]]:
    """Rows of this experiment by table."""
    placed = {"run_id": run_id, "experiment": "grouped"}
    by_table = {
        "trainings": [placed | _training(seed) for seed in (1, 2)],
        "policies": [placed | _policy(seed) for seed in (1, 2)],
        "group_evaluations": [
            placed | _evaluation(*key, paid, split)
            for key, paid in STRATEGIES.items()
            for split in ("time", "trace")
        ],
        "group_scores": [
            placed | _score(split, *place)
            for split in ("time", "trace", "all")
            for place in (
                ("dqn", "action=delta", 0.25),
                ("linear", "", 0.25),
                ("clairvoyant", "weight=5", 0.0),
            )
        ],
        "group_fronts": [
            placed | _front(split, *place)
            for split in ("time", "trace", "all")
            for place in (("dqn", "action=delta"), ("linear", ""), ("clairvoyant", ""))
        ],
    }
    return filled(by_table)


def _training(seed: int) -> Row:
    return (
        _CELL
        | {"seed": seed, "episode": 1, "total_reward": -250.0, "loss": 0.5, "epsilon": 0.05}
        | {"decisions": 400, "seconds": 0.25, "greedy_reward": -100.0}
    )


def _policy(seed: int) -> Row:
    return _CELL | {
        "seed": seed,
        "environment": "group",
        "format_version": 2,
        "layers": [24, 3],
        "settings": "{}",
        "weights": "AAAAAA==",
        "digest": "df3f6198",
    }


def _evaluation(strategy: str, setting: str, seed: int, paid_s: float, split: str) -> Row:
    return {
        "policy": strategy,
        "parameters": setting,
        "seed": seed,
        "trace": "bursts-1" if split == "time" else "ramp",
        "part": "test",
        "split": split,
        "seconds": 240,
        "events": 24_000.0,
        "replica_minutes": paid_s / 30.0,
        "changes": 2,
        "block_paid_s": [paid_s, paid_s],
        "block_late": [0.0, 0.0],
        "lower": 24.0 if strategy == "clairvoyant" else None,
        "sla_percent": 100.0,
        "mean": 0.1,
        "p50": 0.1,
        "p90": 0.2,
        "p95": 0.25,
        "p99": 0.3,
        "p999": 0.4,
        "max": 0.45,
        "n_up": 1,
        "n_down": 1,
        "partitions_moved": 3,
        "peak_lag": 120.0,
        "stalled_s": 0.5,
    }


def _score(split: str, strategy: str, setting: str, regret: float) -> Row:
    agent = strategy == "dqn"
    shares = {"share": 0.5, "share_low": 0.0126, "share_high": 0.9874}
    return {
        "weight": 5.0,
        "split": split,
        "policy": strategy,
        "parameters": setting,
        "seeds": 2 if agent else 1,
        "traces": 2 if split == "all" else 1,
        "replicas": 2.5,
        "regret": regret,
        "regret_low": regret,
        "regret_high": regret,
        "best": 0.0 if agent else regret,
        "worst": 0.5 if agent else regret,
        "reference": "linear",
        "chosen": True,
    } | (shares if agent else {})


def _front(split: str, strategy: str, variant: str) -> Row:
    return {
        "split": split,
        "policy": strategy,
        "variant": variant,
        "points": 1,
        "seeds": 2 if strategy == "dqn" else 1,
        "traces": 2 if split == "all" else 1,
        "hypervolume": 0.5,
        "hypervolume_low": 0.5,
        "hypervolume_high": 0.5,
    }
