"""Costs of simulated groups, and random groups, for the tests of bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.simulation import Result
from algorithms.simulation.group_settings import PAPER_GROUP

Array = NDArray[np.float64]

WEIGHTS = (0.0, 0.003, 0.01, 0.03, 0.1, 1.0, 30.0)
"""Replica-seconds per late event, around what one event costs at 200 events/s and below."""

DELAYS = (0.0, 0.0, 0.0, 0.05, 0.3, 0.5, 1.0, 2.0, 10.0)


def figures(result: Result, rates: Array, step_s: float) -> tuple[float, float]:
    """Replica-seconds and late events of a simulation."""
    in_time = 100.0 if result.sla_percent is None else result.sla_percent
    events = float(rates.sum()) * step_s
    return 60.0 * result.replica_minutes, events * (1.0 - in_time / 100.0)


def workload(rng: np.random.Generator, steps: int, partitions: int, mu: float) -> Array:
    """Loads of a few replicas that jump, drift or come in spikes; equal, skewed or drawn."""
    kind = rng.integers(4)
    level = np.full(steps, rng.uniform(0.2, 2.0))
    if kind == 0:
        level *= rng.choice([0.2, 1.0, 1.7], steps)
    elif kind == 1:
        level *= np.repeat(rng.uniform(0.2, 2.0, steps), 5)[:steps]
    elif kind == 2:
        level *= np.where(rng.random(steps) < 0.1, 3.0, 0.4)
    shares = np.full(partitions, 1.0 / partitions)
    if rng.random() < 0.5:
        shares = rng.dirichlet(np.full(partitions, 0.7))
    return np.asarray(level[:, None] * shares * mu)


def group(rng: np.random.Generator, partitions: int) -> dict[str, Any]:
    """Settings of a group, about half of them with delays."""
    least = int(rng.choice([1, 1, 1, 0, 2]))
    most = max(least, int(rng.integers(1, partitions + 2)), 1)
    step_s = float(rng.choice([1.0, 1.0, 0.5, 2.0]))
    settings: dict[str, Any] = PAPER_GROUP | {
        "arrivals": str(rng.choice(["burst", "uniform"])),
        "protocol": str(rng.choice(["eager", "cooperative", "incremental"])),
        "wsla_s": float(rng.choice([0.5, 0.5, 0.2, 1.0, 2.5])),
        "step_s": step_s,
        "decision_s": step_s * float(rng.choice([1.0, 1.0, 5.0])),
        "rebalance_s": float(rng.choice([0.05, 0.05, 0.0, 0.4])),
        "min_replicas": least,
        "max_replicas": most,
        "initial_replicas": int(rng.integers(max(least, 1), most + 1)),
    }
    if rng.random() < 0.5:
        names = ("startup_s", "heartbeat_s", "move_pause_s")
        settings |= {name: float(rng.choice(DELAYS)) for name in names}
        settings["decision_offset_s"] = float(rng.choice([0.0, 0.08, 0.25]))
        settings["cooldown_s"] = float(rng.choice([0.0, 0.0, 3.0]))
    if rng.random() < 0.5:
        settings |= {
            "second_heartbeat_s": float(rng.choice(DELAYS)),
            "assignment_interval_s": float(rng.choice([0.0, 0.3, 1.0])),
            "max_poll_records": int(rng.choice([0, 20, 500])),
            "commit_s": float(rng.choice([0.0, 0.3, 5.0])),
            "static_members": bool(rng.random() < 0.3),
            "session_s": float(rng.choice([0.5, 3.0])),
            "placement_draw": int(rng.integers(0, 3)),
        }
    return settings
