"""What a restart, a crash and an outage do to a group at its busiest hour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

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
from pipeline.experiments.autoscaling.recommendation import candidate_outcomes, event_leaders
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench, Run
from pipeline.experiments.autoscaling.recommendation.event_leaders import Contest, Endured, Leader
from pipeline.experiments.autoscaling.workloads import busiest_hour
from pipeline.experiments.autoscaling.workloads.busiest_hour import AFTER_S, HOUR_S, LEAD_S


class BadEvent(NamedTuple):
    """An event at the busiest hour, and how groups get over it."""

    kind: str
    today: Recovery | None
    answer: Recovery | None
    """`today`, `answer`: today's group and the recommended one; None if there is none."""
    leader: Leader | None = None
    """What leads the ranking under it; None if nothing is recommended."""


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
    contest: Contest,
    spot: Spot | None = None,
) -> BadHour:
    """Simulate events at the busiest hour.

    today, answer: Today's group and the recommended one, if there are any.
    outage: How long the group stands still; left out where the recording is no longer.
    contest: What else may lead: simulated in events only in which the recommended group does not
        keep the objective.
    spot: Which replicas are spot instances, if some are: all of these end at once.
    """
    step_s: float = bench.settings["step_s"]
    length_s = len(bench.rates) * step_s
    kinds: dict[str, Parameters] = {"restart": Restart(), "crash": Crash()}
    if spot is not None and spot.notice_s < length_s:
        kinds["spot"] = spot
    if outage.outage_s < length_s:
        kinds["outage"] = outage
    lasts_s = max(Incident(name, 0.0, each).last_s for name, each in kinds.items())
    at_s = busiest_hour.starts_s(bench.rates, step_s, lasts_s)
    part, start_s = window(bench, at_s, LEAD_S, AFTER_S)
    incidents = [
        Incident(name, at_s - start_s, parameters, name) for name, parameters in kinds.items()
    ]
    of_today, of_answer = (
        [] if run is None else _endured(part, run, incidents, contest.allowed)
        for run in (today, answer)
    )
    leaders = [] if answer is None else _leaders(part, answer, of_answer, incidents, contest)
    return BadHour(
        at_s,
        outage.outage_s,
        retention_s,
        tuple(
            BadEvent(
                incident.kind,
                of_today[i].recovery if of_today else None,
                of_answer[i].recovery if of_answer else None,
                leaders[i] if leaders else None,
            )
            for i, incident in enumerate(incidents)
        ),
    )


def busiest_s(bench: Bench) -> float:
    """When the hour with most events begins, s: the first one of several."""
    return busiest_hour.starts_s(bench.rates, bench.settings["step_s"])


def window(bench: Bench, at_s: float, lead_s: float, after_s: float) -> tuple[Bench, float]:
    """Part of a workload around a time, and when it begins, s."""
    step_s: float = bench.settings["step_s"]
    around = busiest_hour.around(at_s, len(bench.rates), step_s, lead_s, after_s)
    return bench._replace(rates=bench.rates[around]), around.start * step_s


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


def _leaders(
    part: Bench,
    answer: Run,
    of_answer: Sequence[Endured],
    incidents: Sequence[Incident],
    contest: Contest,
) -> list[Leader]:
    """What leads under each event."""
    leaders = [Leader(answer, each) for each in of_answer]
    failed = [i for i, each in enumerate(of_answer) if not each.keeps]
    if not failed:
        return leaders
    hits = [incidents[i] for i in failed]
    rivals = [(run, _endured(part, run, hits, contest.allowed)) for run in contest.rivals]
    for place, i in enumerate(failed):
        field = [leaders[i], *(Leader(run, endured[place]) for run, endured in rivals)]
        leaders[i] = field[event_leaders.leader([each.endured for each in field], contest.worth)]
    return leaders


def _endured(part: Bench, run: Run, incidents: Sequence[Incident], allowed: float) -> list[Endured]:
    """How a group gets over each of some events."""
    settings = started(part, run)
    step_s: float = settings["step_s"]

    def detailed(own: tuple[Incident, ...]) -> Detailed:
        return candidate_outcomes.detailed_run(
            part, run.candidate, settings, has_latencies=False, incidents=own
        )

    quiet, *hits = candidate_outcomes.in_threads(detailed, [(), *((one,) for one in incidents)])
    return [
        Endured(
            incident_figures.recovery(one, hit.actions.over_s[0], hit, quiet, step_s),
            event_leaders.keeps_objective(
                hit, quiet, round(one.at_s / step_s), round((one.at_s + HOUR_S) / step_s), allowed
            ),
        )
        for one, hit in zip(incidents, hits, strict=True)
    ]
