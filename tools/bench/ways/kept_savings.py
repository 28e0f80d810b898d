"""How much of a strategy's saving each way of deploying it keeps, on workloads held out.

A workload is a quarter of a day of a generated process that nothing was set on, in steps of 1 s.
The saving is that of the cheapest candidate that keeps the objective, against the smallest constant
group that does. Nobody chooses the phase of a sync, so the worst of some phases counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import registry, strategies
from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from algorithms.simulation.group_result import Result
from algorithms.simulation.group_simulation import simulate
from tools.bench.certainty import families
from tools.bench.certainty.families import FAMILIES, STEP_S, STEPS, Family

IDEAL = "headroom"
WAYS = (*(f"{form}:{IDEAL}" for form in strategies.FORMS), "keda_prometheus")
MARGINS, HOLDS = (1.0, 1.15, 1.3, 1.5, 2.0), (30.0, 120.0, 600.0)
PERCENT = 99.0
LATENCIES_S = (0.5, 30.0)
"""Objectives: `PERCENT` of the events within each of these."""

MU = 100.0
PARTITIONS = 24
MEAN = 6.0
"""Mean rate, in what one replica serves."""

SKEW = 0.3
"""Standard deviation of the logarithms of partitions' rates."""

_PART = STEPS // 4


class Workload(NamedTuple):
    """Rates of a group."""

    name: str
    rates: Floats
    """``[N, P]``, events/s in steps of 1 s."""


class Costs(NamedTuple):
    """Mean replicas of the cheapest that keeps an objective; infinite if none does."""

    workload: str
    latency_s: float
    constant: float
    ideal: float
    ways: Mapping[str, float]

    @property
    def kept(self) -> Mapping[str, float]:
        """Share of the ideal form's saving that each way keeps; empty if it saves nothing."""
        saving = self.constant - self.ideal
        if not saving > 0.0 or not np.isfinite(self.constant):
            return {}
        # A way that never keeps the objective is no better than the constant group.
        return {way: max(self.constant - cost, 0.0) / saving for way, cost in self.ways.items()}


def workloads(count: int) -> Iterator[Workload]:
    """So many workloads of the families held out, in turn."""
    held_out = [family for family in FAMILIES if family.held_out]
    for number in range(count):
        family = held_out[number % len(held_out)]
        yield _workload(family, number // len(held_out))


def _workload(family: Family, number: int) -> Workload:
    drawn = families.load(family, number, "ways", 1).rates.ravel()
    # Around noon, from the means of minutes to a straight line between their middles.
    minutes = drawn[STEPS // 2 : STEPS // 2 + _PART] * (MEAN / families.MEAN * MU)
    middles = (np.arange(_PART) + 0.5) * STEP_S
    total = np.interp(np.arange(_PART * int(STEP_S)) + 0.5, middles, minutes)
    generator = np.random.default_rng(derive_seed(0, "ways", family.name, number))
    shares = np.exp(SKEW * generator.standard_normal(PARTITIONS))
    return Workload(f"{family.name} {number + 1}", np.outer(total, shares / shares.sum()))


def costs(workload: Workload, latency_s: float) -> Costs:
    """The cheapest of each kind on one workload."""
    grid = [{"h": h, "hold": hold} for h, hold in product(MARGINS, HOLDS)]
    return Costs(
        workload.name,
        latency_s,
        _constant(workload.rates, latency_s),
        min(_cost(workload.rates, latency_s, IDEAL, [one]) for one in grid),
        {
            way: min(_cost(workload.rates, latency_s, way, _phases(way, one)) for one in grid)
            for way in WAYS
        },
    )


def _phases(way: str, arguments: Mapping[str, float]) -> list[dict[str, float]]:
    sync_s: Any = registry.get(way).arguments["sync_s"]
    return [{**arguments, "phase_s": part * sync_s / 3.0} for part in range(3)]


def _constant(rates: Floats, latency_s: float) -> float:
    low, high = 1, PARTITIONS
    if not _is_kept(rates, latency_s, high):
        return float("inf")
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _is_kept(rates, latency_s, middle) else (middle + 1, high)
    return float(low)


def _is_kept(rates: Floats, latency_s: float, replicas: int) -> bool:
    settings = {**_settings(rates, latency_s), "initial_replicas": replicas}
    return _on_time(simulate(rates, "constant", {}, settings)) >= PERCENT


def _cost(
    rates: Floats, latency_s: float, strategy: str, every: Sequence[Mapping[str, Any]]
) -> float:
    """Mean replicas in the worst of some runs; infinite if one does not keep the objective."""
    worst = 0.0
    for arguments in every:
        run = simulate(rates, strategy, arguments, _settings(rates, latency_s))
        if _on_time(run) < PERCENT:
            return float("inf")
        worst = max(worst, run.replica_minutes * 60.0 / len(rates))
    return worst


def _on_time(run: Result) -> float:
    assert run.sla_percent is not None  # events came
    return run.sla_percent


def _settings(rates: Floats, latency_s: float) -> dict[str, Any]:
    first = int(np.ceil(rates[:60].sum(axis=1).mean() / MU))
    return {
        "mu": MU,
        "wsla_s": latency_s,
        "max_replicas": PARTITIONS,
        "initial_replicas": max(first, 1),
        "assignor": "sticky",
    }
