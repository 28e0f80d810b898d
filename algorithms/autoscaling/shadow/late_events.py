"""Late events of a group in one step, by a model of its members.

Every member gets its share of the events and of the lag. At the start of a step it may pause.
"""

from __future__ import annotations

from typing import NamedTuple

from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Floats
from algorithms.core.compiled import inlined, kernel


class Service(NamedTuple):
    """How members serve."""

    mu: float
    """Rate of one member, events/s."""
    step_s: float
    """Length of a step, seconds."""
    limit_s: float
    """Time that an event may wait: the latency bound less half a service time, seconds."""
    burst: bool
    """Whether the events of a step arrive at its start."""


def service_of(group: Group) -> Service:
    """Service of a group."""
    return Service(group.mu, group.step_s, group.wsla_s - 0.5 / group.mu, group.burst)


@kernel
def step(
    service: Service, shares: Floats, space: Floats, events: float, lag: float, pause_s: float
) -> tuple[float, float]:
    """Late events, and lag after a step.

    shares: float64[n], share of each member.
    space: float64[2, M], space for the late and left events of each member, at least n places.
    events, lag: Events of the group in the step, and lag at its start.
    pause_s: Time from the start of the step in which no member serves, seconds.

    With bursts, the events that a member has not served within the limit are late, except those of
    the lag, which were counted before. Events that arrive evenly wait for a time that is linear
    before and after the end of the pause. Events are a fluid. O(n).
    """
    # Members one by one in a loop without branches, which several at a time pass; sums in order.
    n = shares.shape[0]
    if service.burst:
        for member in range(n):
            space[0, member] = _late_of_burst(service, shares[member], events, lag, pause_s)
    else:
        for member in range(n):
            space[0, member] = _late_of_flow(service, shares[member], events, lag, pause_s)
    for member in range(n):
        space[1, member] = _left(service, shares[member], events, lag, pause_s)
    late, left = 0.0, 0.0
    for member in range(n):
        late += space[0, member]
        left += space[1, member]
    return late, left


@kernel
def is_served(service: Service, largest: float, events: float, lag: float, pause_s: float) -> bool:
    """Whether a step has no late events and leaves none: the largest share has none."""
    if _left(service, largest, events, lag, pause_s) > 0.0:
        return False
    if service.burst:
        return _late_of_burst(service, largest, events, lag, pause_s) == 0.0
    return _late_of_flow(service, largest, events, lag, pause_s) == 0.0


@inlined
def _left(service: Service, share: float, events: float, lag: float, pause_s: float) -> float:
    served = service.mu * max(service.step_s - pause_s, 0.0)
    return max(lag * share + events * share - served, 0.0)


@inlined
def _late_of_burst(
    service: Service, share: float, events: float, lag: float, pause_s: float
) -> float:
    in_time = service.mu * max(service.limit_s - pause_s, 0.0)
    batch = events * share
    return min(max(lag * share + batch - in_time, 0.0), batch)


@inlined
def _late_of_flow(
    service: Service, share: float, events: float, lag: float, pause_s: float
) -> float:
    batch = events * share
    return batch * _late_share(service, batch / service.step_s, lag * share, pause_s)


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
    most, least = max(first, last), min(first, last)
    share = (most - limit) / (most - least)
    share = 1.0 if least > limit else share
    return 0.0 if most <= limit else share
