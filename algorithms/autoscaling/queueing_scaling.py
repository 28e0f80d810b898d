"""The least number of replicas whose mean response time is within a bound, by queueing theory."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.autoscaling import response_times, totals
from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel


class Queueing(NamedTuple):
    """State of the strategy ``queueing``."""

    partitions: int
    mu: float
    r_max: float
    square_a: float
    square_s: float
    """`square_a`, `square_s`: squared coefficients of variation of arrivals and service times."""
    k_max: int
    estimate: bool
    """`mu`, `r_max`, `k_max`, `estimate`: rate of one replica, events/s, and the arguments of
    `start`."""


def start(
    group: Group, *, r_max: float, ca: float, cs: float, k_max: int, estimate: bool
) -> Queueing:
    """Start ``queueing``: the group as one queue with as many servers as replicas; lag is ignored.

    r_max: Bound of the mean response time, seconds.
    ca, cs: Coefficients of variation of the times between arrivals and of service times.
    k_max: Greatest number of replicas; also the answer if no number is enough.
    estimate: Whether ``ca**2`` is estimated as the variance of the events per step since the last
        decision over their mean, instead of given; 1 if there were no events.

    Russo Russo 2021, Eq. 1-3; see `algorithms.autoscaling.queueing.replicas`. The variance is that
    of the population. O(P + W + log k_max) for W steps.
    """
    return Queueing(group.partitions, group.mu, r_max, ca * ca, cs * cs, k_max, estimate)


@decides(Queueing)
@kernel
def _decide(state: Queueing, seen: Seen, after: Longs) -> tuple[int, int]:
    square_a = _dispersion(seen.counts) if state.estimate else state.square_a
    rate = totals.total(seen.rates)
    replicas = response_times.least_replicas(
        rate, state.mu, state.r_max, square_a, state.square_s, state.k_max
    )
    return replicas, 0


@kernel
def _dispersion(counts: Floats) -> float:
    """Population variance of the events per step over their mean."""
    events = totals.total(counts)
    if events <= 0.0:
        return 1.0
    mean = events / counts.shape[0]
    squares = 0.0
    for count in counts:
        squares += (count - mean) * (count - mean)
    return float(squares / counts.shape[0] / mean)
