"""Experiments of the presets of the family `brokers`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    f"{planner}-{replication}": {"scalings": 12, "planner": planner, "replication": replication}
    for replication in (3, 2, 1)
    for planner in PLANS
}
"""Three kinds of plans at each replication, on the same brokers that join and leave, and the claim
that nothing is lost: 108 scalings, more than a million records."""

FAULTY: Experiments = {
    "faulty": {
        "scalings": 24,
        "throttle_mib_s": 8.0,
        "faults": FAULTS,
    },
}
"""Every second scaling has a fault while partitions move, for at least 10 s."""
