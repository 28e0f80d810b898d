"""Least-loaded scaling along its own run, and beside the same scaling with exact packings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from algorithms.bounds.effort import effort
from algorithms.bounds.packing_gaps import along_run
from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from algorithms.simulation.group_result import Result
from algorithms.simulation.group_simulation import simulate
from algorithms.workloads import load_profiles
from algorithms.workloads.partition_splits import split
from algorithms.workloads.published_shapes import SHAPES
from pipeline.experiments.streams.burst_steps import OFFSETS_S
from pipeline.inputs.traces.published_workloads import W1
from pipeline.settings.scaling_presets import PUBLISHED_GROUP

STRATEGIES = ("least_loaded_2", "ilp")
_DRAWN = ("5 equal", "9 skewed", "12 unequal")
SHAPED = f"9 skewed, `{W1.shape}`"
"""The group that is sent a workload of a published shape, at each of `OFFSETS_S`."""
GROUPS = (*_DRAWN, SHAPED)
PROFILES = ("steps", "bursts")
STEPS, LOW, HIGH = 600, 100.0, 900.0
"""Seconds, and limits of the total rate, events/s."""

SETTINGS = {
    **{name: value for name, value in PUBLISHED_GROUP.items() if name != "rounding"},
    **{"arrivals": "burst", "cooldown_s": 10.0, "decision_offset_s": 0.08, "heartbeat_s": 3.0},
}
_EFFORT = effort(1.0)


class Workload(NamedTuple):
    """A workload of one kind of group."""

    group: str
    profile: str
    number: int


class Run(NamedTuple):
    """Figures of one workload."""

    group: str
    decisions: int
    unequal: int
    """Decisions for which the least-loaded packing has too many replicas."""
    greatest: int
    """Most replicas that it has too many."""
    on_time: tuple[float, float]
    minutes: tuple[float, float]
    """`on_time`, `minutes`: events in time in percent, and replica-minutes, by `STRATEGIES`."""


def workloads(count: int) -> Iterator[Workload]:
    """So many of each profile for each group, and the published shape at each time to decide."""
    for group in _DRAWN:
        for profile in PROFILES:
            for number in range(count):
                yield Workload(group, profile, number)
    for number in range(len(OFFSETS_S)):
        yield Workload(SHAPED, W1.shape, number)


def rates_of(workload: Workload) -> Floats:
    """Rates of the partitions; of unequal ones the shares are drawn."""
    if workload.group == SHAPED:
        shape = SHAPES[workload.profile]
        return split(shape.rates(W1.steps, shape.peak), 9, "skew", None, "ceil")
    seed = derive_seed(0, "packing run", workload.profile, workload.number)
    total = load_profiles.generate(workload.profile, STEPS, LOW, HIGH, seed)
    partitions, how = workload.group.split()
    kind = {"equal": "equal", "skewed": "skew", "unequal": "weights"}[how]
    drawn = np.random.default_rng(seed).standard_normal(int(partitions))
    weights = np.exp(0.6 * drawn) if kind == "weights" else None
    return split(total, int(partitions), kind, weights, "ceil")


def run(workload: Workload) -> Run:
    """Simulate both strategies, and solve the packings that the first one met."""
    rates = rates_of(workload)
    settings = dict(SETTINGS)
    if workload.group == SHAPED:
        settings["decision_offset_s"] = OFFSETS_S[workload.number]
    gaps = along_run(rates, settings, True, _EFFORT)
    excess = gaps.packed - gaps.upper
    first, second = (simulate(rates, strategy, {}, settings) for strategy in STRATEGIES)
    return Run(
        group=workload.group,
        decisions=excess.size,
        unequal=int(np.count_nonzero(excess)),
        greatest=int(excess.max()),
        on_time=(_on_time(first), _on_time(second)),
        minutes=(first.replica_minutes, second.replica_minutes),
    )


def _on_time(result: Result) -> float:
    assert result.sla_percent is not None  # events came
    return result.sla_percent
