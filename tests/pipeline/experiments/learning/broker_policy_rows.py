"""A row of table `policies` with a policy of a cluster's brokers, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.cluster_settings import BrokerSettings
from pipeline.experiments.learning.policies import policy_files
from pipeline.inputs.policies import policy_weights
from pipeline.settings.learning_experiment import Settings

AGENT = AgentSettings(hidden=(4,))


def weights() -> policy_weights.Weights:
    """Random weights."""
    draws = np.random.default_rng(5)
    shapes = [s for a, b in ((37, 4), (4, 3)) for s in ((a, b), (b,))]
    return tuple(draws.normal(size=shape).astype(np.float32) for shape in shapes)


def row(**changes: object) -> dict[str, Any]:
    """A network with them, as training would store it."""
    settings = policy_files.settings_text(Settings(BrokerSettings(), AGENT))
    names: dict[str, Any] = {
        "run_id": "r1",
        "experiment": "e",
        "agent": "dqn",
        "reward": "weighted",
    }
    names |= {"variant": "batch=5", "seed": 1, "environment": policy_weights.BROKERS}
    names |= {"format_version": policy_weights.VERSION}
    return {**names, "settings": settings, **policy_weights.packed(weights()), **changes}
