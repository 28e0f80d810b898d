"""Experiments of the presets of the family `learning`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any, ClassVar

from algorithms.learning import (
    learning_names,
    measured_curve,
    measured_latencies,
    sensitivity,
)
from algorithms.learning.agent_settings import BUDGETS
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.simulation.group_settings import PAPER_GROUP
from pipeline.settings.group_fields import GROUP_SCALED, LATE

Experiments = Mapping[str, Mapping[str, Any]]


VARIATIONS = tuple(sensitivity.spelled(name) for name in sensitivity.DECLARED)
"""What the paper leaves open, and the calibration of the cluster, one change at a time."""

RAW = sensitivity.spelled(sensitivity.RAW)
"""The paper's recipe read literally: metrics are normalized as they are."""

RAW_VARIATIONS = tuple(f"{RAW}:{words}" for words in VARIATIONS if words != RAW)
"""The same changes of the literal recipe."""

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

_ON_GROUPS: Mapping[str, Any] = {
    "environment": GROUP_SCALED,
    "agents": ("dqn",),
    "rewards": (LATE,),
    "episodes": 8,
    "rebalance_s": PAPER_GROUP["rebalance_s"],
}

GROUPS_SMOKE: Experiments = {
    "groups": {
        **_ON_GROUPS,
        "variants": ("action=residual",),
        "seeds": 2,
        "decisions": 400,
        "episodes": 2,
        "trace_seconds": 400,
        "rules": ("constant", "headroom", "linear"),
        "trials": 3,
    },
}
"""One agent on a consumer group with two seeds, to test the installation."""

_ACTIONS = ("target", "delta", "residual")
_WEIGHTS = (1, 2, 5, 10, 30)
_AT_WEIGHT_5 = tuple(f"action={action}:weight=5" for action in _ACTIONS)

GROUPS: Experiments = {
    "groups": {
        **_ON_GROUPS,
        "seeds": 30,
        "variants": tuple(f"action={a}:weight={w}" for a in _ACTIONS for w in _WEIGHTS),
    },
    "groups-pause": {
        **_ON_GROUPS,
        "seeds": 30,
        "rebalance_s": 0.5,
        "variants": _AT_WEIGHT_5,
    },
    "groups-long-pause": {
        **_ON_GROUPS,
        "seeds": 30,
        "rebalance_s": 2.0,
        "variants": _AT_WEIGHT_5,
    },
    "groups-double": {
        **_ON_GROUPS,
        "agents": ("double_dqn",),
        "seeds": 30,
        "variants": _AT_WEIGHT_5,
    },
}
"""Agents on a consumer group: all actions over weights, longer rebalances, and Double DQN."""

START_FEWEST: Mapping[str, Any] = {
    "start_brokers": BrokerSettings().min_brokers,
    "rewards": ("count", "violations"),
}
"""Another reading that the paper allows, for the claims that it decides: rewards 1 and 2."""

_TEN_SEEDS: Mapping[str, Any] = {"seeds": 10, "episodes": 10, "evaluate_every": 10}

PAPER_CLAIMS: Experiments = {
    "paper": {"seeds": 30, "episodes": 10},
    "raw": {"seeds": 30, "episodes": 10, "variants": (RAW,)},
    "sensitivity": {**_TEN_SEEDS, "variants": VARIATIONS},
    "start": {"seeds": 30, "episodes": 10, **START_FEWEST},
    "start-sensitivity": {**_TEN_SEEDS, **START_FEWEST, "variants": VARIATIONS},
}
"""The paper's own budget, and which verdicts hold if its open settings change; the same for
episodes that start with the fewest brokers."""


class _OnMeasured(Mapping[str, Mapping[str, Any]]):
    """Experiments whose settings are read from the measured rows when they are asked for.

    Without rows, settings are missing, and the check of `curve` says so.
    """

    _OWN: ClassVar[Experiments] = {
        "measured": {},
        "measured-objective": {"rewards": ("violations", "weighted")},
    }

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        own = self._OWN[name]
        shared = {"seeds": 30, "episodes": 10, "evaluate_every": 10}
        settings: dict[str, Any] = {**shared, "curve": learning_names.MEASURED, **own}
        curve = measured_curve.curve_of(measured_latencies.ROWS)
        if not curve.loads:
            return settings
        if own:
            # The middle one of the curve's points, so that some numbers of brokers exceed it.
            objective = float(round(median(curve.medians_ms[-1])))
            settings |= {"slo_violations_ms": objective, "slo_weighted_ms": objective}
        return settings | {"max_brokers": curve.brokers[-1], "load": curve.loads[-1]}

    def __iter__(self) -> Iterator[str]:
        return iter(self._OWN)

    def __len__(self) -> int:
        return len(self._OWN)


MEASURED: Experiments = _OnMeasured()
"""The paper's agents on measured latency, under the greatest measured load: with the printed
objectives, and with one within the range of the curve."""

CLAIMS: Experiments = {**PAPER_CLAIMS, **GROUPS}
"""The paper's claims, and agents on a consumer group."""

PAPER: Experiments = {
    **CLAIMS,
    "raw-sensitivity": {**_TEN_SEEDS, "variants": RAW_VARIATIONS},
    "long": {"seeds": 30, **BUDGETS["long"]},
    "stable": {"seeds": 30, **BUDGETS["stable"]},
    "ordinary": {"seeds": 30, "rewards": ("weighted",), **BUDGETS["ordinary"]},
}
"""The same with the sensitivity table of raw metrics, with ten times the budget, and with settings
that are usual today; reward 3 with settings under which agents learn it."""
