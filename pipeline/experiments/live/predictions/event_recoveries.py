"""How a group that asks gets over events, on the broker and simulated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.simulation.incident_times import Incident
from live.asking import group_incidents
from pipeline.experiments.live.evidence.processed_records import first_reads
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.evidence.served_records import OBJECTIVE_S, completion_times
from pipeline.experiments.live.predictions import queue_prediction
from pipeline.experiments.live.predictions.agreement import QUEUE_S, QUEUE_SHARE, Comparison
from pipeline.experiments.live.predictions.asking_prediction import SimulatedGroup

_SAME_S = 1e-6

_NOTHING = 1e-3
"""Events of a step that are late through rounding only."""


class Recovery(NamedTuple):
    """What happens from the start of an event to that of the next one."""

    late_events: float
    """Events that are processed later than the objective after they were due."""
    greatest_age_s: float
    """Longest time from due to processed."""
    lag_gone_after_s: float
    """Time from the start of the event until the last late one is processed; 0 without any."""


class ComparedRecovery(NamedTuple):
    """A figure of an event."""

    number: int
    """Of the event in its run, from 1."""
    incident: Incident
    quantity: str
    """A field of `Recovery`."""
    measured: float
    simulated: Comparison
    replayed: float
    """Value of a replay of each record at the members that had its partition."""


def compared(folder: RunFolder, simulated: SimulatedGroup | None) -> Iterator[ComparedRecovery]:
    """Figures of all events of a run; none if nothing happens to it, or it is not simulated."""
    incidents = group_incidents.of_run(folder.settings)
    if not incidents or simulated is None:
        return
    rate = float(folder.rates.sum(axis=1).mean()) / folder.settings.record_bytes
    every = zip(
        measured(folder, incidents),
        predicted(simulated, incidents),
        replayed(folder, incidents),
        strict=True,
    )
    for number, (own, model, replay) in enumerate(every, 1):
        for name in Recovery._fields:
            value, expected = getattr(own, name), getattr(model, name)
            # As many events are due within the time that may be wrong.
            least = QUEUE_S * (rate if name == "late_events" else 1.0)
            within = Comparison(expected, value - expected, least + QUEUE_SHARE * expected)
            yield ComparedRecovery(
                number, incidents[number - 1], name, value, within, getattr(replay, name)
            )


def measured(folder: RunFolder, incidents: Sequence[Incident]) -> Iterator[Recovery]:
    """Figures on the broker, from the evidence; a record counts the first time it is processed."""
    records = first_reads(folder.records)
    done_s = (records.done_ns - folder.settings.began_ns) / 1e9
    yield from _of_records(done_s, completion_times(records), incidents)


def replayed(folder: RunFolder, incidents: Sequence[Incident]) -> Iterator[Recovery]:
    """Figures of a replay of each record, with the owners that the run had."""
    due_ns, waits_s = queue_prediction.replay(folder)
    ages_s = waits_s + queue_prediction.service_s(folder.settings)
    yield from _of_records(due_ns / 1e9 + ages_s, ages_s, incidents)


def _of_records(
    done_s: Floats, ages_s: Floats, incidents: Sequence[Incident]
) -> Iterator[Recovery]:
    """Figures of records that are processed at some times, and their ages then."""
    for first_s, last_s in _windows(incidents):
        inside = (done_s >= first_s) & (done_s < last_s)
        is_late = inside & (ages_s > OBJECTIVE_S)
        yield Recovery(
            float(is_late.sum()),
            float(ages_s[inside].max(initial=0.0)),
            float(done_s[is_late].max(initial=first_s)) - first_s,
        )


def predicted(group: SimulatedGroup, incidents: Sequence[Incident]) -> Iterator[Recovery]:
    """Figures of the simulated group, to the end of a step."""
    late, longest_s = group.trajectory.late, group.trajectory.longest_s
    ends_s: Floats = np.arange(1.0, late.size + 1.0) * group.step_s
    for first_s, last_s in _windows(incidents):
        inside = (ends_s > first_s + _SAME_S) & (ends_s <= last_s + _SAME_S)
        is_late = inside & (late > _NOTHING)
        yield Recovery(
            float(late[is_late].sum()),
            float(longest_s[inside].max(initial=0.0)),
            float(ends_s[is_late].max(initial=first_s)) - first_s,
        )


def _windows(incidents: Sequence[Incident]) -> Iterator[tuple[float, float]]:
    """From the start of each event to that of the next one that begins later, s."""
    starts = [each.at_s for each in incidents]
    for first_s in starts:
        yield first_s, min((each for each in starts if each > first_s), default=math.inf)
