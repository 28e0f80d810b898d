"""What an incident costs a group: compared with the same group to which it does not happen."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.simulation.group_result import Detailed, Result
from algorithms.simulation.incident_times import Incident

_SAME_S = 1e-9

GONE = 1.0
"""Events by which lags may differ that count as the same."""


class Recovery(NamedTuple):
    """How a group gets over an incident."""

    late: float
    """Events that are late, beyond those that are late anyway."""
    longest_s: float
    """Greatest latency of an event until the lag is gone, s: its age as it was served; infinite if
    some never departs."""
    gone_after_s: float
    """Time from the start of the incident until the group has settled and its lag is gone, to the
    end of a step, s: it is then no more than without the incident. NaN: not before the end."""


def recovery(
    incident: Incident, over_s: float, hit: Detailed, quiet: Detailed, step_s: float
) -> Recovery:
    """How a group gets over an incident, and what else happens until then.

    over_s: When the group had settled, s.
    hit, quiet: The group with all incidents, and without any.

    What holds on is not over before the end.
    """
    steps, others = hit.trajectory, quiet.trajectory
    n = steps.lag.size
    first = min(int((incident.at_s + _SAME_S) / step_s), n - 1)
    if incident.holds_on:
        return until_the_end(first, hit, quiet)
    ends_s = np.arange(1, n + 1) * step_s
    is_gone = (ends_s >= over_s - _SAME_S) & (steps.lag <= others.lag + GONE)
    is_gone[:first] = False
    if not is_gone.any():
        return until_the_end(first, hit, quiet)
    last = int(is_gone.argmax())
    window = slice(first, last + 1)
    late = float((steps.late[window] - others.late[window]).sum())
    return Recovery(
        max(late, 0.0),
        float(steps.longest_s[window].max()),
        float(ends_s[last]) - incident.at_s,
    )


def until_the_end(first: int, hit: Detailed, quiet: Detailed) -> Recovery:
    """What an incident costs that is not over before the end.

    first: Step in which it begins, from 0.
    hit, quiet: The group with all incidents, and without any.
    """
    late = _late(hit.result, hit.trajectory.arrived) - _late(quiet.result, quiet.trajectory.arrived)
    longest = max(float(hit.trajectory.longest_s[first:].max()), _or_none(hit.result.max))
    return Recovery(max(late, 0.0), longest, math.nan)


def _late(result: Result, arrived: Floats) -> float:
    """Events of a run that are late, or never depart."""
    percent = 100.0 if result.sla_percent is None else result.sla_percent
    return (1.0 - percent / 100.0) * float(arrived.sum())


def _or_none(latency: float | None) -> float:
    return 0.0 if latency is None else latency
