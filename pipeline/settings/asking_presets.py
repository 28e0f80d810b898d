"""Experiments of the presets on groups whose assignor asks the controller.

The group is that of Ezzeddine et al. 2024, in records of 500 bytes: consumers process 200 per
second, and their producer sends a second's records at once and then sleeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.workloads.published_shapes import SHAPES
from pipeline.inputs.traces.published_workloads import STEP_S, W1, W2

Experiments = Mapping[str, Mapping[str, Any]]

_RECORD_BYTES = 500
_MU = 200.0
_RATE = _MU * _RECORD_BYTES

_GROUP: Mapping[str, Any] = {
    "delta": None,
    "profile": W1.shape,
    "iterations": W1.steps,
    "iteration_seconds": STEP_S,
    "record_bytes": _RECORD_BYTES,
    "capacity": _RATE,
    "consumer_rate": _RATE,
    "arrivals": "drift",
    "heartbeat_s": 3.0,
    "revoke_s": 0.05,
}

# The authors' controller waits after an action.
_COOLDOWN = "cooldown_s=10.0"
_FIRST, _SECOND = (f"asking:least_loaded_{number}:{_COOLDOWN}" for number in (1, 2))


def _linear(assignor: str) -> str:
    return f"asking:linear:assignor={assignor}:{_COOLDOWN}"


def _planning(rebalance_s: float) -> str:
    """Algorithm 2, which plans with another time than rebalances take."""
    return f"{_SECOND}:rebalance_s={rebalance_s}"


_PLACED = f"asking:linear+placement:{_COOLDOWN}"
"""Linear, whose partitions are placed by rate: largest first, with few moves."""

_EQUAL: Mapping[str, Any] = {**_GROUP, "partitions": 5, "split": "equal"}
_SKEWED: Mapping[str, Any] = {**_GROUP, "partitions": 9, "split": "skew"}
_SOONER = {"heartbeat_s": 0.5}

SMOKE: Experiments = {
    "group-smoke": {
        **_EQUAL,
        "iterations": 25,
        "arrivals": "bursts",
        "strategies": (_SECOND, _linear("range"), "asking:constant:initial_replicas=3"),
    },
}
"""Three short runs, to test the installation."""

ONCE: Experiments = {
    "equal-5": {**_EQUAL, "strategies": (_SECOND, _FIRST, _linear("range"))},
    "equal-5-sooner": {**_EQUAL, **_SOONER, "strategies": (_SECOND,)},
    "skew-9": {
        **_SKEWED,
        "strategies": (_SECOND, _linear("range"), _linear("roundrobin")),
    },
}
"""What can differ in the tables of the paper: its algorithms and its reference, for 75 minutes.
On equal partitions all assignors are alike."""

_TWO_HOURS: Mapping[str, Any] = {
    "profile": W2.shape,
    "iterations": W2.steps,
    "high": SHAPES[W2.shape].peak / _MU,
}

TWO_HOURS: Experiments = {
    "equal-5": {**_EQUAL, **_TWO_HOURS, "strategies": (_SECOND, _linear("range"))},
    "equal-5-sooner": {**_EQUAL, **_TWO_HOURS, **_SOONER, "strategies": (_SECOND,)},
    "skew-9": {
        **_SKEWED,
        **_TWO_HOURS,
        "strategies": (_SECOND, _linear("range"), _linear("roundrobin")),
    },
}
"""The same for the paper's second workload: six runs of two hours. It prints nothing on Algorithm 1
there."""

_OFTEN = {"replicates": 5}
_SLOW: Mapping[float, tuple[str, ...]] = {0.5: (), 2.0: (_planning(_GROUP["revoke_s"]),)}
"""Longer rebalances of the paper, s, and what runs there besides Algorithms 1 and 2."""

NIGHT: Experiments = {
    "equal-5": {
        **_EQUAL,
        **_OFTEN,
        "strategies": (
            *(_SECOND, _FIRST, _linear("range"), "asking:overprovision"),
            _planning(max(_SLOW)),
        ),
    },
    "equal-5-sooner": {**_EQUAL, **_OFTEN, **_SOONER, "strategies": (_SECOND,)},
    **{
        f"equal-5-revoke-{1000 * seconds:.0f}ms": {
            **_EQUAL,
            **_OFTEN,
            "revoke_s": seconds,
            "strategies": (_SECOND, _FIRST, *others),
        }
        for seconds, others in _SLOW.items()
    },
    "skew-9": {
        **_SKEWED,
        **_OFTEN,
        "strategies": (
            *(_SECOND, _linear("range"), _linear("roundrobin"), _linear("sticky")),
            _PLACED,
        ),
    },
}
"""What is in `ONCE` with verdicts, and what splits them: 80 runs of ten minutes. Algorithm 2 also
plans with the longest rebalance where they are short, and with the shortest where they are long."""

BAD_HOUR: Experiments = {
    "bad-hour": {
        **_GROUP,
        "profile": "steady",
        "partitions": 6,
        # 400 records/s, of which four members serve 800.
        "high": 2.0,
        "iterations": 150,
        "arrivals": "even",
        "heartbeat_s": 0.3,
        # The shortest that brokers allow.
        "session_s": 6.0,
        # A batch of 0.1 s: an outage begins after it.
        "max_poll_records": 20,
        "group_events": (
            "outage@15s:8s",
            "crash@45s",
            "restart@75s:surge=1,unavailable=0",
            "blind@95s:20s:kind=zero",
        ),
        "strategies": (
            "asking:constant:initial_replicas=4",
            f"{_linear('range')}:initial_replicas=5",
        ),
    },
}
"""Events of a bad hour, in two and a half minutes for each strategy."""
