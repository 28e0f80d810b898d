"""Simulations from which claims are judged: all candidates of an experiment under open settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from algorithms.autoscaling.candidates import Candidate
from algorithms.core.arrays import Floats
from algorithms.simulation import group_simulation
from algorithms.simulation.group_result import Detailed
from pipeline.experiments.autoscaling.kernels import kept_seeds
from pipeline.experiments.autoscaling.paper.open_settings import (
    OPEN_SETTINGS,
    OpenSetting,
    played,
)
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import BatchKernel

SIMULATED = arrow.contract("claim_runs", without=("run_id",))

AFTER_S = 10.0
"""Time after a scaling whose late events count for it, s: the longest cooldown."""


class ClaimPlan(NamedTuple):
    """What the kernel needs of an experiment."""

    rates: Floats
    """``float64[N, P]``, events/s in each second."""
    candidates: tuple[Candidate, ...]
    group: Mapping[str, Any]
    """Settings of the group."""


def simulate(plans: Mapping[str, ClaimPlan], folder: Path) -> BatchKernel:
    """Rows with ``experiment``, ``number`` and ``seed`` to `SIMULATED`, under all settings.

    folder: Where the rows of each seed are kept.
    """

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.to_pylist():
                make = partial(_seed, plans[task["experiment"]], task)
                yield kept_seeds.rows(folder, task["experiment"], task["number"], make)

    return run


def _seed(plan: ClaimPlan, task: Mapping[str, Any]) -> pa.RecordBatch:
    rows = [row for setting in OPEN_SETTINGS for row in _rows(plan, task, setting)]
    return pa.RecordBatch.from_pylist(rows, schema=SIMULATED)


def _rows(
    plan: ClaimPlan, task: Mapping[str, Any], setting: OpenSetting
) -> Iterator[dict[str, Any]]:
    rates, own = played(plan.rates, setting, task["seed"])
    for candidate in plan.candidates:
        # What is swept takes precedence over what a candidate says of it.
        settings = {**plan.group, "seed": task["seed"], **candidate.settings, **own}
        detailed = group_simulation.simulate_in_detail(
            rates, candidate.strategy, candidate.arguments, settings, has_percentiles=False
        )
        yield {
            "experiment": task["experiment"],
            "strategy": candidate.strategy,
            "setting": candidate.parameter_text,
            "swept": setting.words,
            **setting._asdict(),
            "number": task["number"],
            **figures(detailed, own["step_s"]),
        }


def figures(detailed: Detailed, step_s: float) -> dict[str, Any]:
    """What claims are on, of one simulation."""
    result = detailed.result
    names = ("sla_percent", "replica_minutes", "n_up", "n_down", "max")
    growth = detailed.actions.after - detailed.actions.before
    return {name: getattr(result, name) for name in names} | {
        "late_after_up": late_after(detailed, growth > 0, step_s),
        "late_after_down": late_after(detailed, growth < 0, step_s),
    }


def late_after(detailed: Detailed, chosen: np.ndarray[Any, Any], step_s: float) -> float | None:
    """Mean number of late events that depart within `AFTER_S` of the chosen actions, if any."""
    times = detailed.actions.time_s[chosen]
    if not len(times):
        return None
    late = detailed.trajectory.late
    until = np.concatenate(([0.0], np.cumsum(late)))
    first = np.floor(times / step_s + 1e-9).astype(np.int64)
    last = np.minimum(first + round(AFTER_S / step_s), len(late))
    # Sums from 0 on differ in the last digits, by which none is below 0.
    return float(np.maximum(until[last] - until[first], 0.0).mean())
