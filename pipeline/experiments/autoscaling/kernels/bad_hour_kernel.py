"""Simulations of the busiest hour: a strategy on one seed, without events and with each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from algorithms.autoscaling import registry
from algorithms.autoscaling.candidates import Candidate, whole_steps
from algorithms.core.arrays import Floats
from algorithms.simulation import group_simulation, incident_figures
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.incident_times import Incident
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import BatchKernel

SIMULATED = arrow.contract("bad_hour_runs", without=("run_id",))


class BadHourPlan(NamedTuple):
    """What the kernel needs of an experiment."""

    rates: Floats
    """``float64[N, P]``: mean rates around the busiest hour, events/s."""
    topics: tuple[int, ...] | None
    """Partitions of each topic; None for a single one."""
    candidates: tuple[Candidate, ...]
    group: Mapping[str, Any]
    """Settings of the group."""
    incidents: tuple[Incident, ...]
    """What happens, each on its own."""


def simulate(plans: Mapping[str, BadHourPlan]) -> BatchKernel:
    """Rows with ``experiment``, ``place`` of a strategy, ``number`` and ``seed`` to `SIMULATED`."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.to_pylist():
                rows = list(_rows(plans[task["experiment"]], task))
                yield pa.RecordBatch.from_pylist(rows, schema=SIMULATED)

    return run


def _rows(plan: BadHourPlan, task: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    candidate: Candidate = plan.candidates[task["place"]]
    # A seed has the same arrivals for all strategies and events.
    drawn = {"poisson": True, "seed": task["seed"]}
    own_s = registry.get(candidate.strategy).decision_s
    decision_s = whole_steps(own_s, float(plan.group["step_s"]))
    settings = {**plan.group, "decision_s": decision_s, **candidate.settings, **drawn}

    def simulated(incidents: Sequence[Incident]) -> Detailed:
        return group_simulation.simulate_in_detail(
            plan.rates,
            candidate.strategy,
            candidate.arguments,
            settings,
            plan.topics,
            has_percentiles=False,
            incidents=incidents,
        )

    quiet = simulated(())
    for incident in plan.incidents:
        hit = simulated((incident,))
        yield {
            "experiment": task["experiment"],
            "strategy": candidate.strategy,
            "setting": candidate.parameter_text,
            "kind": incident.kind,
            "event": incident.text,
            "number": task["number"],
            **_figures(incident, hit, quiet, settings["step_s"]),
            "replica_minutes": hit.result.replica_minutes,
            "quiet_minutes": quiet.result.replica_minutes,
        }


def _figures(incident: Incident, hit: Detailed, quiet: Detailed, step_s: float) -> dict[str, Any]:
    """How the group gets over it. What holds to the end has no time until it is gone."""
    over_s = hit.actions.over_s[0]
    found = incident_figures.recovery(incident, over_s, hit, quiet, step_s)
    gone_s = math.inf if math.isnan(found.gone_after_s) else found.gone_after_s
    return {
        "late_events": found.late,
        "greatest_age_s": found.longest_s,
        "lag_gone_after_s": None if incident.holds_on else gone_s,
    }
