"""Experiments of the presets of the family `brokers`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from live.brokers.elastic_choices import FAULTS

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

HUNDRED: Experiments = {"hundred": {"scalings": 100}}
"""The paper's claim that nothing is lost: 100 scalings, more than a million records."""

FAULTY: Experiments = {
    "faulty": {
        "scalings": 24,
        "throttle_mib_s": 8.0,
        "faults": FAULTS,
    },
}
"""Every second scaling has a fault while partitions move, for at least 10 s."""
