"""Experiments of the presets of the family `live`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Experiments = Mapping[str, Mapping[str, Any]]

SMOKE: Experiments = {
    "smoke": {
        "partitions": 8,
        "iterations": 6,
        "iteration_seconds": 4.0,
        "delta": 25,
        "strategies": ("MWF", "kd_5"),
    },
}
"""Two short runs, to test the installation."""

STRATEGIES: Experiments = {
    "strategies": {
        "partitions": 32,
        "iterations": 60,
        "iteration_seconds": 5.0,
        "delta": 25,
        "strategies": ("MWF", "SR_1", "headroom+placement", "kafka_848_18", "keda"),
    },
}
"""An algorithm of the paper and the sticky one, a strategy of autoscaling, Kafka's own group with
about as many members as the algorithms use, and KEDA, for half an hour."""

PAPER: Experiments = {
    "paper": {
        **STRATEGIES["strategies"],
        "iteration_seconds": 30.0,
        "capacity": 2e6,
        "consumer_rate": 2.4e6,
        "record_bytes": 10_000,
    },
}
"""The same at the scale of the authors' system, for hours."""

AGREEMENT: Experiments = {
    "agreement": {
        "partitions": 16,
        "iterations": 12,
        "iteration_seconds": 5.0,
        "delta": 25,
        "replicates": 3,
        "strategies": ("MWF", "SR_1", "kd_11"),
    },
}
"""Several streams, to hold the simulators against the broker."""

_RESPONSE = {"partitions": 32, "iterations": 12, "iteration_seconds": 10.0, "strategies": ("MWF",)}
# A tenth of the authors' batch, as C̄ is a tenth of theirs: a cycle takes two seconds like theirs.
_CYCLE = {"mode": "cycle", "batch_bytes": 500_000, "wait_s": 1.0}

_DEATH = {"iterations": 4, "delta": 5, "death_iteration": 2}

RESPONSE: Experiments = {
    **{
        f"{mode}-{delta}": {**_RESPONSE, **changes, "delta": delta}
        for mode, changes in (("prompt", {}), ("cycle", _CYCLE))
        for delta in (5, 25)
    },
    "death": {**_RESPONSE, **_DEATH},
}
"""How fast the controller responds: to rates, with consumers that look for commands often and
seldom, and to the death of a consumer."""


CONSUMER_RATE = 240_000.0
"""C̄ of all presets here but `live-paper`, bytes/s."""


def _full_log(partitions: int, iterations: int) -> Mapping[str, Any]:
    """One consumer, and partitions that together have one and a half times its C̄."""
    # Rates are drawn from 0 to C, so their mean is half of C.
    capacity = 3.0 * CONSUMER_RATE / partitions
    return {
        **_CYCLE,
        "partitions": partitions,
        "iterations": iterations,
        "iteration_seconds": 5.0,
        "delta": 0,
        "capacity": capacity,
        "consumer_rate": CONSUMER_RATE,
        "strategies": ("kd_1",),
    }


CAPACITY: Experiments = {
    f"full-{partitions}": _full_log(partitions, iterations)
    for partitions, iterations in ((32, 36), (116, 6), (144, 38))
}
"""The tests of the paper's Table VI with a tenth of their bytes: 65, 11 and 68 MB."""
