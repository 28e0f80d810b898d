"""Events of a group that users declare, such as ``--event outage@12:00:15m``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from algorithms.core.input_errors import AlgorithmError
from algorithms.simulation import incident_figures, incident_texts, incident_times
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.incident_figures import Recovery
from algorithms.simulation.incident_kinds import Outage
from algorithms.simulation.incident_texts import Declared
from algorithms.simulation.incident_times import RETENTION_S, Incident, Recording
from pipeline.base.errors import InputError
from pipeline.base.text import durations
from pipeline.experiments.autoscaling.workloads.workload_source import Workload


class DeclaredEvents(NamedTuple):
    """Events as they are declared, and how long the broker keeps what arrives."""

    declared: tuple[Declared, ...]
    retention_s: float


def of_options(texts: Sequence[str], retention: str | None) -> DeclaredEvents:
    """Events of ``--event`` options. Raises InputError if one has another form, or is unknown."""
    retention_s = _kept_s(retention)
    try:
        return DeclaredEvents(tuple(map(incident_texts.parse, texts)), retention_s)
    except AlgorithmError as error:
        raise InputError(f"--event {error}") from error


def worst(outage: str | None, retention: str | None) -> tuple[Outage, float]:
    """The outage of ``--outage``, and how long events are kept by ``--retention``, s."""
    own = Outage() if outage is None else Outage(outage_s=length_s("--outage", outage))
    kept_s = _kept_s(retention)
    if own.outage_s > kept_s:
        raise InputError(
            f"--outage {outage}: must be at most the retention, {kept_s:g} s (got "
            f"{own.outage_s:g} s): events of its first {own.outage_s - kept_s:g} s are lost; "
            "shorten it or raise --retention"
        )
    return own, kept_s


def _kept_s(retention: str | None) -> float:
    return RETENTION_S if retention is None else length_s("--retention", retention)


def length_s(option: str, text: str) -> float:
    """A length of time above 0 of an option, s."""
    seconds = incident_texts.seconds(text)
    if not seconds:
        raise InputError(f"{option} {text}: must be a length of time above 0, such as 15m or 7d")
    return seconds


def placed(events: DeclaredEvents, workload: Workload, seed: int) -> tuple[Incident, ...]:
    """The events at their times. Raises InputError if one is not within the workload."""
    length_s = workload.rates.shape[0] * workload.step_s
    start = workload.started_at
    recording = Recording(length_s, None if start is None else start.timestamp())
    try:
        return incident_times.placed(events.declared, recording, events.retention_s, seed)
    except AlgorithmError as error:
        raise InputError(f"--event {error}") from error


def recoveries(
    incidents: Sequence[Incident], hit: Detailed, quiet: Detailed, step_s: float
) -> tuple[Recovery, ...]:
    """How a group gets over each event."""
    return tuple(
        incident_figures.recovery(incident, over_s, hit, quiet, step_s)
        for incident, over_s in zip(incidents, hit.actions.over_s, strict=True)
    )


def name(incident: Incident, workload: Workload) -> str:
    """An event with its time, as tables show it."""
    if workload.started_at is None:
        at = f"after {durations.duration(incident.at_s)}"
    else:
        moment = workload.started_at + timedelta(seconds=incident.at_s)
        at = f"at {moment:%Y-%m-%d %H:%M}"
    return f"{incident.kind} {at}"


def record(incident: Incident, recovery: Recovery) -> dict[str, Any]:
    """Figures of an event for JSON; the unknown are None."""
    gone = recovery.gone_after_s
    return {
        "kind": incident.kind,
        "at_s": incident.at_s,
        "declared": incident.text,
        "late_events": recovery.late,
        "greatest_age_s": "Infinity" if math.isinf(recovery.longest_s) else recovery.longest_s,
        "lag_gone_after_s": None if math.isnan(gone) else gone,
    }
