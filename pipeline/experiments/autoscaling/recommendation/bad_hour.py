"""What a restart, a crash and an outage do to a group at its busiest hour."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.simulation import incident_figures
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.incident_figures import Recovery
from algorithms.simulation.incident_kinds import Crash, Outage, Parameters, Restart
from algorithms.simulation.incident_times import Incident
from pipeline.experiments.autoscaling.recommendation import candidate_outcomes
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench, Run
from pipeline.experiments.autoscaling.workloads import busiest_hour


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
    bench: Bench, today: Run | None, answer: Run | None, outage: Outage, retention_s: float
) -> BadHour:
    """Simulate events at the busiest hour.

    today, answer: Today's group and the recommended one, if there are any.
    outage: How long the group stands still; left out where the recording is no longer.
    """
    step_s: float = bench.settings["step_s"]
    length_s = len(bench.rates) * step_s
    lasts_s = outage.outage_s if outage.outage_s < length_s else 0.0
    at_s = busiest_hour.starts_s(bench.rates, step_s, lasts_s)
    kinds: dict[str, Parameters] = {"restart": Restart(), "crash": Crash()}
    if outage.outage_s < length_s:
        kinds["outage"] = outage
    around = busiest_hour.around(at_s, len(bench.rates), step_s)
    window = bench._replace(rates=bench.rates[around])
    incidents = [
        Incident(name, at_s - around.start * step_s, parameters, name)
        for name, parameters in kinds.items()
    ]
    of_today, of_answer = (_recoveries(window, run, incidents) for run in (today, answer))
    return BadHour(
        at_s,
        outage.outage_s,
        retention_s,
        tuple(
            BadEvent(incident.kind, before, after)
            for incident, before, after in zip(incidents, of_today, of_answer, strict=True)
        ),
    )


def _recoveries(window: Bench, run: Run | None, incidents: list[Incident]) -> list[Recovery | None]:
    if run is None:
        return [None] * len(incidents)
    settings = candidate_outcomes.settings_of(window, run)
    if "initial_replicas" not in run.candidate.settings:
        most = settings["max_replicas"]
        needed = candidate_outcomes.initial_replicas(
            window.rates, settings["step_s"], settings["mu"], most
        )
        settings["initial_replicas"] = max(needed, settings["min_replicas"])

    def detailed(own: tuple[Incident, ...]) -> Detailed:
        return candidate_outcomes.detailed_run(
            window, run.candidate, settings, has_latencies=False, incidents=own
        )

    quiet, *hits = candidate_outcomes.in_threads(detailed, [(), *((one,) for one in incidents)])
    return [
        incident_figures.recovery(one, hit.actions.over_s[0], hit, quiet, settings["step_s"])
        for one, hit in zip(incidents, hits, strict=True)
    ]
