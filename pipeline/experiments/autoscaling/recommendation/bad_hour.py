"""What a restart, a crash and an outage do to a group at its busiest hour."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from algorithms.simulation import incident_figures
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.incident_figures import Recovery
from algorithms.simulation.incident_kinds import (
    Crash,
    Outage,
    Parameters,
    Restart,
    Spot,
)
from algorithms.simulation.incident_times import Incident
from pipeline.experiments.autoscaling.recommendation import candidate_outcomes
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench, Run

HOUR_S = 3600.0
LEAD_S, AFTER_S = HOUR_S, 8.0 * HOUR_S
"""Time that is simulated before and after the busiest hour begins, s."""

_SAME = 1e-9


class BadEvent(NamedTuple):
    """An event at the busiest hour, and how groups get over it."""

    kind: str
    today: Recovery | None
    answer: Recovery | None
    """`today`, `answer`: today's group and the recommended one; None if there is none."""


class BadHour(NamedTuple):
    """Events at the busiest hour, each on its own."""

    at_s: float
    """When that hour begins, s from the start of the recording."""
    outage_s: float
    retention_s: float
    """`outage_s`, `retention_s`: how long the group stands still, and events are kept, s."""
    events: tuple[BadEvent, ...]
    """What happens as the hour begins."""


def bad_hour(
    bench: Bench,
    today: Run | None,
    answer: Run | None,
    outage: Outage,
    retention_s: float,
    spot: Spot | None = None,
) -> BadHour:
    """Simulate events at the busiest hour.

    today, answer: Today's group and the recommended one, if there are any.
    outage: How long the group stands still; left out where the recording is no longer.
    spot: Which replicas are spot instances, if some are: all of these end at once.
    """
    step_s: float = bench.settings["step_s"]
    at_s = busiest_s(bench)
    length_s = len(bench.rates) * step_s
    kinds: dict[str, Parameters] = {"restart": Restart(), "crash": Crash()}
    if spot is not None and spot.notice_s < length_s:
        kinds["spot"] = spot
        at_s = min(at_s, math.floor((length_s - spot.notice_s) / step_s) * step_s)
    if outage.outage_s < length_s:
        kinds["outage"] = outage
        at_s = min(at_s, math.floor((length_s - outage.outage_s) / step_s) * step_s)
    part, start_s = window(bench, at_s, LEAD_S, AFTER_S)
    incidents = [
        Incident(name, at_s - start_s, parameters, name) for name, parameters in kinds.items()
    ]
    of_today, of_answer = (_recoveries(part, run, incidents) for run in (today, answer))
    return BadHour(
        at_s,
        outage.outage_s,
        retention_s,
        tuple(
            BadEvent(incident.kind, before, after)
            for incident, before, after in zip(incidents, of_today, of_answer, strict=True)
        ),
    )


def busiest_s(bench: Bench) -> float:
    """When the hour with most events begins, s: the first one of several."""
    step_s: float = bench.settings["step_s"]
    steps = min(max(round(HOUR_S / step_s), 1), len(bench.rates))
    so_far = np.concatenate([[0.0], np.cumsum(bench.rates.sum(axis=1))])
    totals = so_far[steps:] - so_far[:-steps]
    # Sums of equal hours differ by rounding.
    return float(np.argmax(totals >= totals.max() * (1.0 - _SAME))) * step_s


def window(bench: Bench, at_s: float, lead_s: float, after_s: float) -> tuple[Bench, float]:
    """Part of a workload around a time, and when it begins, s."""
    step_s: float = bench.settings["step_s"]
    first = max(round((at_s - lead_s) / step_s), 0)
    last = round((at_s + after_s) / step_s)
    part = bench._replace(rates=bench.rates[first : min(last, len(bench.rates))])
    return part, first * step_s


def started(window: Bench, run: Run) -> dict[str, Any]:
    """Settings of a candidate's group, which begins a part of the workload as that needs."""
    settings = candidate_outcomes.settings_of(window, run)
    if "initial_replicas" not in run.candidate.settings:
        most = settings["max_replicas"]
        needed = candidate_outcomes.initial_replicas(
            window.rates, settings["step_s"], settings["mu"], most
        )
        settings["initial_replicas"] = max(needed, settings["min_replicas"])
    return settings


def _recoveries(part: Bench, run: Run | None, incidents: list[Incident]) -> list[Recovery | None]:
    if run is None:
        return [None] * len(incidents)
    settings = started(part, run)

    def detailed(own: tuple[Incident, ...]) -> Detailed:
        return candidate_outcomes.detailed_run(
            part, run.candidate, settings, has_latencies=False, incidents=own
        )

    quiet, *hits = candidate_outcomes.in_threads(detailed, [(), *((one,) for one in incidents)])
    return [
        incident_figures.recovery(one, hit.actions.over_s[0], hit, quiet, settings["step_s"])
        for one, hit in zip(incidents, hits, strict=True)
    ]
