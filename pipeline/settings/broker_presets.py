"""Experiments of the presets of the family `brokers`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_names import AGENTS
from live.brokers.elastic_choices import FAULTS, PLANS

Experiments = Mapping[str, Mapping[str, Any]]

SMOKE: Experiments = {
    "smoke": {
        "scalings": 4,
        "preload_mib": 16.0,
        "throttle_mib_s": 4.0,
        "still_s": 4.0,
    },
}
"""3, 4, 5, 4, 3 brokers, to test the installation."""

COMPARED: Experiments = {
    f"{planner}-{replication}": {
        "scalings": 12,
        "planner": planner,
        "replication": replication,
        "records_per_s": 600.0,
    }
    for replication in (3, 2, 1)
    for planner in PLANS
}
"""Three kinds of plans at each replication, on the same brokers that join and leave, and the claim
that nothing is lost, over 108 scalings. They take about 36 minutes, in which 600 records/s are more
than the million that the claim asks for."""

FAULTY: Experiments = {
    "faulty": {
        "scalings": 24,
        "throttle_mib_s": 8.0,
        "faults": FAULTS,
        "kraft_controllers": 3,
    },
}
"""Every second scaling has a fault while partitions move, for at least 10 s."""

_DECIDED: Mapping[str, Any] = {
    "records_per_s": BrokerSettings().records_per_s,
    "throttle_mib_s": 40.0,
}
"""The paper's load, which brokers with a quota of processor carry; that quota limits moves."""

POLICY_SMOKE: Experiments = {
    "policy": {
        **_DECIDED,
        "decided_by": ("dqn", "threshold"),
        "rewards": ("weighted",),
        "live_episodes": 1,
        "live_steps": 4,
        "decision_s": 10.0,
    },
}
"""An agent that was trained on measured rows, and a rule, to test the installation."""

ONLINE: Experiments = {
    "online": {
        **_DECIDED,
        "most_brokers": 7,
        "decided_by": AGENTS,
        "rewards": ("count", "weighted"),
        "learns": True,
    },
}
"""The paper's experiment: agents learn on the cluster, with rewards 1 and 3."""
