"""Late events of a group in one step, by a model of its members.

Every member gets its share of the events and of the lag. At the start of a step it may pause.
"""

from __future__ import annotations

from typing import NamedTuple

from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Floats
from algorithms.core.compiled import inlined, kernel


class Service(NamedTuple):
    """How members serve.

    Attributes
    ----------
    mu : float
        Rate of one member, events/s.
    step_s : float
        Length of a step, seconds.
    limit_s : float
        Time that an event may wait: the latency bound less half a service time, seconds.
    burst : bool
        Whether the events of a step arrive at its start.
    """

    mu: float
    step_s: float
    limit_s: float
    burst: bool


def service_of(group: Group) -> Service:
    """Service of a group."""
    return Service(group.mu, group.step_s, group.wsla_s - 0.5 / group.mu, group.burst)


@kernel
def step(
    service: Service, shares: Floats, events: float, lag: float, pause_s: float
) -> tuple[float, float]:
    """Late events, and lag after a step.

    Parameters
    ----------
    service : Service
        How members serve.
    shares : float64[n]
        Share of each member.
    events, lag : float
        Events of the group in the step, and lag at its start.
    pause_s : float
        Time from the start of the step in which no member serves, seconds.

    Notes
    -----
    With bursts, the events that a member has not served within the limit are late, except those of
    the lag, which were counted before. Events that arrive evenly wait for a time that is linear
    before and after the end of the pause. Events are a fluid. O(n).
    """
    late, left = 0.0, 0.0
    served = service.mu * max(service.step_s - pause_s, 0.0)
    in_time = service.mu * max(service.limit_s - pause_s, 0.0)
    for share in shares:
        batch, waiting = events * share, lag * share
        left += max(waiting + batch - served, 0.0)
        if service.burst:
            late += min(max(waiting + batch - in_time, 0.0), batch)
        else:
            late += batch * _late_share(service, batch / service.step_s, waiting, pause_s)
    return late, left


@inlined
def _late_share(service: Service, rate: float, waiting: float, pause_s: float) -> float:
    """Share of a step in which events arrive that will be late."""
    end, mu, limit = service.step_s, service.mu, service.limit_s
    until = min(pause_s, end)
    at_start = pause_s + waiting / mu
    at_turn = pause_s - until + (waiting + rate * until) / mu
    at_end = at_turn + (rate / mu - 1.0) * (end - until)
    paused = until * _above(at_start, at_turn, limit)
    return (paused + (end - until) * _above(at_turn, at_end, limit)) / end


@inlined
def _above(first: float, last: float, limit: float) -> float:
    """Share of a line that is above a limit."""
    if first <= limit and last <= limit:
        return 0.0
    if first > limit and last > limit:
        return 1.0
    return (max(first, last) - limit) / abs(first - last)
