"""Experiments of the presets of the family `autoscaling`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

from algorithms.core.group_declarations import ASSIGNORS, PROTOCOLS
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.workloads.published_shapes import SHAPES
from pipeline.inputs.traces.published_workloads import W1, W2
from pipeline.settings.scaling_experiment import PROFILES
from pipeline.settings.strategy_names import ALL

Experiments = Mapping[str, Mapping[str, Any]]

_ASSIGNORS = ("range", "roundrobin", "cooperative_sticky", "kip848_uniform", "kip169")

FURTHER = (
    "optimal:sweep=3",
    *("queueing_paths", "queueing_paths:r_max=0.01", "mpc"),
    *ASSIGNORS,
    *(f"linear:assignor={name}" for name in _ASSIGNORS),
    *("NF", "NFD", "FF", "FFD", "BF", "WF", "WFD", "MBF", "MWFP", "MBFP"),
)
"""What preset `autoscaling` compares besides the strategies that are compared by default: the
reference that sees the present, few candidates where decisions take long or a sweep says little,
assignors with constant replicas and where the group changes often, and all other packings."""

_SIZES = (9, 64, 5)
_ITERATIONS = {5: 600, 9: 600, 64: 300}

SMOKE: Experiments = {
    "diurnal-9": {
        "profile": "diurnal",
        "iterations": 300,
        "replicates": 2,
        "strategies": ("constant:initial_replicas=8", "headroom", "linear:sweep", "keda_hpa"),
    },
    "bursts-5-skew": {
        "profile": "bursts",
        "partitions": 5,
        "split": "skew",
        "iterations": 300,
        "replicates": 2,
        "arrivals": "burst",
        "protocol": "incremental",
        "strategies": ("constant:initial_replicas=4", "headroom", "least_loaded_1"),
    },
}
"""Small experiments, to test the installation."""


def _experiments() -> Experiments:
    """Every profile with equal and with skewed partitions; sizes, protocols, arrivals in turn."""
    experiments = {}
    protocols = cycle(PROTOCOLS)
    for i, profile in enumerate(PROFILES):
        for j, split in enumerate(("equal", "skew")):
            partitions = _SIZES[(i + j) % len(_SIZES)]
            experiments[f"{profile}-{partitions}-{split}"] = {
                "profile": profile,
                "partitions": partitions,
                "split": split,
                "iterations": _ITERATIONS[partitions],
                "initial_replicas": -(-partitions // 2),
                "replicates": 20,
                "arrivals": ("uniform", "burst")[(i + j) % 2],
                "protocol": next(protocols),
                "strategies": (f"{ALL}:sweep=5", *FURTHER),
            }
    return experiments


PROFILES_BY_SPLIT = _experiments()
"""Experiments of preset `autoscaling`."""

_NEAREST = "arrivals=burst:cooldown_s=10.0:decision_offset_s=0.08"
_SECOND = f"least_loaded_2:{_NEAREST}:heartbeat_s=3.0"
_SOONER = f"least_loaded_2:{_NEAREST}:heartbeat_s=0.5"
_LINEAR = (
    "linear:cooldown_s=10.0:heartbeat_s=3.0",
    "linear:arrivals=burst:cooldown_s=10.0:heartbeat_s=3.0",
)
_LINEAR_AT_ONCE = ("linear:heartbeat_s=3.0", "linear:arrivals=burst:heartbeat_s=3.0")
_OPTIMAL, _OVERPROVISION = "optimal:rebalance_s=0.0", "overprovision:initial_replicas=5"
_SLOW_REBALANCES = tuple(
    f"least_loaded_{number}:{_NEAREST}:heartbeat_s=3.0:rebalance_s={seconds}"
    for seconds in (0.5, 2.0)
    for number in (1, 2)
)


PUBLISHED_GROUP: Mapping[str, Any] = {**PAPER_GROUP, "assignor": "range", "rounding": "ceil"}
"""Settings of the group of which figures are published; the others have their defaults."""


def _published(partitions: int, split: str, *strategies: str, **others: Any) -> Mapping[str, Any]:
    """An experiment on a published workload, with the defaults of the simulation."""
    size = {"partitions": partitions, "split": split, "strategies": strategies}
    return {**PUBLISHED_GROUP, **size, **others}


PAPERS: Experiments = {
    "W1-equal-5": _published(
        *(5, "equal", _SECOND, *_LINEAR, _OPTIMAL, _OVERPROVISION, *_LINEAR_AT_ONCE),
        *(_SOONER, *_SLOW_REBALANCES),
    ),
    "W1-skew-9": _published(9, "skew", _SECOND, *_LINEAR),
    "W2-equal-5": _published(5, "equal", _SECOND, *_LINEAR, _OPTIMAL, _OVERPROVISION, _SOONER),
    "W2-equal-5-cut": _published(5, "equal", _OPTIMAL, last_rate=21.0),
    "W2-skew-9": _published(9, "skew", _SECOND, *_LINEAR),
}
"""Experiments on published workloads, whose names they begin with: what is needed to compare all
figures of `pipeline.experiments.autoscaling.paper`, in its settings."""

_CLAIMED: Mapping[str, Any] = {
    **PAPER_GROUP,
    "assignor": "range",
    "heartbeat_s": 3.0,
    "heartbeats": "in_step",
    "low": 0.0,
    "replicates": 1,
    "poisson": False,
    "claim_seeds": 30,
}
_TEN_MINUTES: Mapping[str, Any] = {**_CLAIMED, "profile": W1.shape, "iterations": W1.steps}
_TWO_HOURS: Mapping[str, Any] = {**_CLAIMED, "profile": W2.shape, "iterations": W2.steps}
"""The groups of the paper on workloads of the published shapes."""

_TWO, _ONE, _LINEARS = (
    "least_loaded_2",
    "least_loaded_1",
    ("linear", "linear:assignor=sticky", "linear:assignor=roundrobin", "linear+placement"),
)

_BATCHES = (
    *(f"max_poll_records={batch}" for batch in (1, 50, 500)),
    *(f"heartbeat_s=0.5:max_poll_records={batch}" for batch in (1, 50, 500)),
)
"""What a client asks for at once, which the paper does not say; also with the shorter heartbeat."""

CLAIMS: Experiments = {
    "equal-5": {
        **_TEN_MINUTES,
        "partitions": 5,
        "split": "equal",
        "high": SHAPES[W1.shape].peak / 1000.0,
        "strategies": (
            *(_TWO, _ONE, *_LINEARS, f"{_TWO}:heartbeat_s=0.5"),
            *(f"{each}:rebalance_s={t_r}" for t_r in (0.5, 2.0) for each in (_TWO, _ONE)),
            *(f"{_TWO}:{each}" for each in _BATCHES),
            *(_OVERPROVISION, "constant:initial_replicas=3"),
        ),
    },
    "skew-9": {
        **_TEN_MINUTES,
        "partitions": 9,
        "split": "skew",
        "high": SHAPES[W1.shape].peak / 800.0,
        "strategies": (_TWO, _ONE, *_LINEARS),
    },
}
"""The published strategies on a workload of the published shape, in all settings that are open.
`high` is a share of what a consumer per partition can serve."""

LONG_CLAIMS: Experiments = {
    "equal-5": {
        **_TWO_HOURS,
        "partitions": 5,
        "split": "equal",
        "high": SHAPES[W2.shape].peak / 1000.0,
        "strategies": (_TWO, _LINEARS[0], f"{_TWO}:heartbeat_s=0.5", _OVERPROVISION),
    },
    "skew-9": {
        **_TWO_HOURS,
        "partitions": 9,
        "split": "skew",
        "high": SHAPES[W2.shape].peak / 800.0,
        "strategies": (_TWO, *(_LINEARS[place] for place in (0, 2, 3))),
    },
}
"""The same on two hours, which take twelve times as long: strategies with published figures, and
what splits the advantage of Algorithm 2 on skewed partitions."""

BAD_HOUR: Experiments = {
    "day-12": {
        "profile": "diurnal",
        # Two days; at noon, 720 events/s.
        "iterations": 34_560,
        "step_s": 5.0,
        "partitions": 12,
        "low": 0.05,
        "high": 0.3,
        "initial_replicas": 6,
        "replicates": 1,
        "recorded": 0,
        "bad_hour_seeds": 30,
        "strategies": (
            *(f"constant:initial_replicas={count}" for count in (4, 6)),
            *("headroom", "linear", "threshold", "ds2", "keda_hpa", "keda_prometheus"),
            *("least_loaded_2", "MWF"),
        ),
    },
}
"""Ten strategies in events at noon. Four constant replicas are 90 % busy then, six 60 %."""
