"""Experiments of the presets of the family `pulsar`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Experiments = Mapping[str, Mapping[str, Any]]

_SCALED = {
    "recognise_s": 0.1,
    "r_max": 0.3,
    # Nearly a common queue, as policies assume: each instance fetches one record ahead.
    "receiver_queue": 1,
}

SMOKE: Experiments = {
    "smoke": {
        **_SCALED,
        "graph": "images",
        "load_levels": (0.5, 1.5, 0.8),
        "piece_s": 12.0,
        "decision_s": 4.0,
        "policies": ("threshold:t_in=1:t_out=4", "queueing", "ds2"),
        "executors": ("extended",),
    },
}
"""Three short runs with the policies of the paper's Figures 4 to 8, to test the installation."""

SCALED: Experiments = {
    "scaled": {
        **_SCALED,
        "graph": "images",
        "piece_s": 60.0,
        "decision_s": 5.0,
        "policies": ("threshold:t_in=2:t_out=8", "queueing", "queueing_paths", "ds2"),
    },
}
"""The paper's six intervals, scaled, with its policies and both executors."""

CHANGES: Experiments = {
    "changes": {
        "recognise_s": 0.1,
        "load_levels": (1.6,),
        "spacing": "constant",
        "receiver_queue": 1,
        "first_instances": 2,
        "resizings": 30,
    },
}
"""The paper's claim that scaling does not interrupt: 30 changes each way per executor."""

NIGHT: Experiments = {
    "night": {
        "graph": "images",
        "policies": ("threshold", "queueing", "queueing_paths", "ds2"),
        "executors": ("extended",),
        "replicates": 3,
    },
}
"""Section 5.2 unscaled: an hour per policy, three seeds."""
