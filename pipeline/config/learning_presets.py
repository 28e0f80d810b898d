"""Experiments of the presets of the family `learning`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.learning.agent_settings import BUDGETS

Experiments = Mapping[str, Mapping[str, Any]]

VARIATIONS = (
    "scaling=raw",
    "optimizer=adam",
    "epsilon_share=1",
    "decay=0.95",
    "learning_rate=0.001",
    "replay=450",
    "target_every=50",
    "time_limit_ends=true",
    "spread=0.04",
    "spread=0.16",
    "disturbance=1",
    "queue_ms=390",
    "queue_ms=480",
)
"""What the paper leaves open, and the calibration of the cluster, one change at a time."""

SMOKE: Experiments = {
    "smoke": {
        "agents": ("dqn",),
        "rewards": ("weighted",),
        "seeds": 3,
        "episodes": 3,
        "held_out": 32,
    },
}
"""One agent with a few seeds, to test the installation."""

CLAIMS: Experiments = {
    "paper": {"seeds": 30, "episodes": 10},
    "sensitivity": {"seeds": 10, "episodes": 10, "variants": VARIATIONS},
}
"""The paper's own budget, and which verdicts hold if its open settings change."""

PAPER: Experiments = {
    **CLAIMS,
    "long": {"seeds": 30, **BUDGETS["long"]},
    "stable": {"seeds": 30, **BUDGETS["stable"]},
}
"""The same with ten times the budget, and with settings that are usual today."""
