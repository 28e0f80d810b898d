"""When incidents happen in a workload: by its clock, from its start, or at a drawn time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.seeds import SEED_MASK, derive_seed
from algorithms.simulation.incident_kinds import (
    Blind,
    Limit,
    Outage,
    Parameters,
    Restart,
    Spot,
    WarmUp,
)
from algorithms.simulation.incident_texts import Declared

RETENTION_S = 604_800.0
"""Kafka's default of ``log.retention.hours``, s."""

_DAY_S = 86_400.0


class Incident(NamedTuple):
    """Something that happens to a group."""

    kind: str
    at_s: float
    """When it begins, s from the start of the workload."""
    parameters: Parameters
    text: str = ""
    """As it was declared."""

    @property
    def ends_s(self) -> float:
        """When it is over of itself, s: some end, others leave a group that recovers."""
        return self.at_s + _lasts_s(self.parameters)

    @property
    def last_s(self) -> float:
        """When the last of it happens, s: as `ends_s`; spot instances end after their notice."""
        return self.at_s + _takes_s(self.parameters)

    @property
    def holds_on(self) -> bool:
        """Whether it holds to the end of the workload: it is not over before."""
        own = self.parameters
        return isinstance(own, WarmUp) or (isinstance(own, Limit) and own.limit_s is None)


def _lasts_s(parameters: Parameters) -> float:
    if isinstance(parameters, Outage):
        return parameters.outage_s
    if isinstance(parameters, Limit):
        return 0.0 if parameters.limit_s is None else parameters.limit_s
    return parameters.blind_s if isinstance(parameters, Blind) else 0.0


def _takes_s(parameters: Parameters) -> float:
    return parameters.notice_s if isinstance(parameters, Spot) else _lasts_s(parameters)


class Recording(NamedTuple):
    """The time of a workload."""

    length_s: float
    started_s: float | None = None
    """Start, s since 1970 UTC; None without a clock."""


def placed(
    declared: Sequence[Declared],
    recording: Recording,
    retention_s: float,
    seed: int = 0,
) -> tuple[Incident, ...]:
    """Incidents in the order in which they begin.

    retention_s: How long events are kept.
    seed: What times depend on that are drawn: evenly over the workload.
    Raises InvalidParameterError if one is outside the workload, a clock time is given and it has
        none, an outage loses events, or two of them contradict each other.
    """
    every = [
        each
        for index, one in enumerate(declared)
        for each in _each(one, recording, derive_seed(seed, "incident", index, one.kind))
    ]
    for incident in every:
        _check(incident, recording.length_s, retention_s)
    every.sort(key=lambda incident: incident.at_s)
    _check_together(every)
    return tuple(every)


def _each(one: Declared, recording: Recording, seed: int) -> Iterator[Incident]:
    def at(at_s: float) -> Incident:
        return Incident(one.kind, at_s, one.parameters, one.text)

    when = one.when
    if when.clock_s is None and when.moment_s is None:
        drawn_s = _drawn(one.parameters, recording.length_s, seed)
        yield at(drawn_s if when.offset_s is None else when.offset_s)
        return
    if recording.started_s is None:
        raise InvalidParameterError(
            f"{one.text}: the workload has no clock; give a time from its start, such as 90m"
        )
    if when.clock_s is None:
        yield at((when.moment_s or 0.0) - recording.started_s)
        return
    first_s = (when.clock_s - recording.started_s) % _DAY_S
    days = math.ceil((recording.length_s - first_s) / _DAY_S) if when.is_daily else 1
    for day in range(max(days, 1)):
        yield at(first_s + day * _DAY_S)


def _drawn(parameters: Parameters, length_s: float, seed: int) -> float:
    """A time at which the incident is over before the workload ends; limits hold from its start."""
    if isinstance(parameters, WarmUp | Limit):
        return 0.0
    return max(length_s - _takes_s(parameters), 0.0) * (seed / (SEED_MASK + 1))


def _check(incident: Incident, length_s: float, retention_s: float) -> None:
    text, at_s = incident.text, incident.at_s
    if not 0.0 <= at_s < length_s:
        raise InvalidParameterError(
            f"{text}: must begin within the workload, 0 to {length_s:g} s from its start (got "
            f"{at_s:g} s); give another time"
        )
    own = incident.parameters
    # A limit may hold to the end.
    if incident.last_s > length_s and not isinstance(own, Limit):
        raise InvalidParameterError(
            f"{text}: must end within the workload, at most {length_s:g} s from its start (got "
            f"{incident.last_s:g} s); shorten it or begin earlier"
        )
    lasts_s = incident.ends_s - at_s
    if isinstance(own, Outage) and lasts_s > retention_s:
        raise InvalidParameterError(
            f"{text}: must be at most the retention, {retention_s:g} s (got {lasts_s:g} s): events "
            f"of its first {lasts_s - retention_s:g} s are lost; shorten it or keep events longer"
        )


def _check_together(every: Sequence[Incident]) -> None:
    """Refuse what contradicts an earlier incident."""
    warm = [each for each in every if isinstance(each.parameters, WarmUp)]
    if len(warm) > 1:
        raise InvalidParameterError(
            f"{warm[1].text}: there is {warm[0].text} already; leave out one"
        )
    blind = [each for each in every if isinstance(each.parameters, Blind)]
    for before, after in pairwise(blind):
        if after.at_s < before.ends_s:
            raise InvalidParameterError(
                f"{after.text}: must begin at {before.ends_s:g} s, when {before.text} is over, or "
                f"later (got {after.at_s:g} s); move or leave out one"
            )
    begun: dict[float, str] = {}
    for each in every:
        if isinstance(each.parameters, Restart | Spot):
            if each.at_s in begun:
                raise InvalidParameterError(overlap(each.text, each.at_s))
            begun[each.at_s] = each.text


def overlap(text: str, at_s: float) -> str:
    """What is wrong with a restart that begins before another one is over."""
    return (
        f"{text}: begins at {at_s:g} s, when a restart is under way; begin it when the one before "
        "is over"
    )
