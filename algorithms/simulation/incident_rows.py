"""Incidents of a run as a table of changes, in the order in which kernels make them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import dispatch
from algorithms.core.arrays import Floats
from algorithms.simulation.incident_kinds import (
    READINGS,
    Blind,
    Crash,
    Limit,
    Outage,
    Restart,
    Spot,
    WarmUp,
    as_number,
)
from algorithms.simulation.incident_times import Incident

AT, KIND, FIRST, SECOND, THIRD, FOURTH, FIFTH = range(7)
"""Columns: when, s; what; and its numbers."""

LIMITED, HALTED, CRASHED, RESTARTED, BLINDED = range(5)
"""Kinds of changes: the rate that all members share (events/s); outages that begin (1) or end (-1);
one member is gone; a restart begins (surge, unavailable, pause in s, share of the members that it
replaces, time at which they end, in s, negative where that is open; shares are negative); what is
read of the group."""


_ZEROS = (0.0,) * (FIFTH + 1)


class Changes(NamedTuple):
    """What kernels read."""

    rows: Floats
    """float64[K, 7]: changes by time; see `AT`."""
    rise_s: float
    first_share: float
    """`rise_s`, `first_share`: time until a new member is as fast as others, s, and the share of
    their rate with which it begins; 0 and 1 without a warm-up."""


def changes(incidents: Sequence[Incident], shared_limit: float) -> Changes:
    """The table of some incidents; `shared_limit` always holds, inf for none."""
    rows = [*_limits(incidents, shared_limit), *_others(incidents)]
    rows.sort(key=lambda row: row[: KIND + 1])
    warm = next(
        (each.parameters for each in incidents if isinstance(each.parameters, WarmUp)), None
    )
    table = (
        np.array([[*row, *_ZEROS[len(row) :]] for row in rows])
        if rows
        else np.empty((0, FIFTH + 1))
    )
    if warm is None:
        return Changes(table, 0.0, 1.0)
    return Changes(table, warm.rise_s, warm.first_share)


def most_actions(rows: Floats, members: int) -> int:
    """Most actions that changes can begin in a group of at most so many members."""
    crashes = int((rows[:, KIND] == CRASHED).sum())
    restarts = int((rows[:, KIND] == RESTARTED).sum())
    # A step of a restart replaces at least one member, which a crash may have replaced before.
    return crashes + restarts * (members + crashes + 2)


def _limits(incidents: Sequence[Incident], shared_limit: float) -> Iterator[list[float]]:
    """The least of all limits, wherever one begins or ends."""
    spans = [
        (each.at_s, _end_s(each, each.parameters), each.parameters.limit_rate)
        for each in incidents
        if isinstance(each.parameters, Limit)
    ]
    for at in sorted({time for start, end, _ in spans for time in (start, end)} - {math.inf}):
        rates = [rate for start, end, rate in spans if start <= at < end]
        yield [at, LIMITED, min([shared_limit, *rates])]


def _end_s(incident: Incident, limit: Limit) -> float:
    return math.inf if limit.limit_s is None else incident.at_s + limit.limit_s


def _others(incidents: Sequence[Incident]) -> Iterator[list[float]]:
    for each in incidents:
        own = each.parameters
        if isinstance(own, Outage):
            yield [each.at_s, HALTED, 1.0]
            yield [each.ends_s, HALTED, -1.0]
        elif isinstance(own, Crash):
            yield [each.at_s, CRASHED]
        elif isinstance(own, Blind):
            yield [each.at_s, BLINDED, dispatch.MISSING + READINGS.index(own.reads)]
            yield [each.ends_s, BLINDED, dispatch.SEEING]
        elif isinstance(own, Restart):
            surge, unavailable = as_number(own.surge), as_number(own.unavailable)
            yield [each.at_s, RESTARTED, surge, unavailable, own.pause_s, -1.0, -1.0]
        elif isinstance(own, Spot):
            yield [each.at_s, RESTARTED, -own.share, 0.0, 0.0, -own.share, each.last_s]
