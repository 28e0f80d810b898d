"""One replica more or fewer where the mean response time leaves an interval, by queueing theory."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.autoscaling import response_times, totals
from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel


class QueueingPaths(NamedTuple):
    """State of the strategy ``queueing_paths``."""

    partitions: int
    mu: float
    high: float
    low: float
    """`high`, `low`: mean response times above which a replica is added and below which one is
    removed, seconds."""
    square_a: float
    square_s: float
    """`square_a`, `square_s`: squared coefficients of variation of arrivals and service times."""
    k_max: int
    """`mu`, `k_max`: rate of one replica, events/s, and the replicas from which none is added."""


def start(
    group: Group, *, r_max: float, alpha: float, ca: float, cs: float, k_max: int
) -> QueueingPaths:
    """Start ``queueing_paths``: the group as the only function of the only path; lag is ignored.

    r_max: Mean response time above which a replica is added, seconds.
    alpha: Share of `r_max` below which one is removed.
    ca, cs: Coefficients of variation of the times between arrivals and of service times.
    k_max: Number of replicas from which none is added.

    Russo Russo 2021, policy for paths, for one function; see
    `algorithms.autoscaling.queueing.plan_paths`. A group without replicas gets one. O(P).
    """
    return QueueingPaths(group.partitions, group.mu, r_max, alpha * r_max, ca * ca, cs * cs, k_max)


@decides(QueueingPaths)
@kernel
def _decide(state: QueueingPaths, seen: Seen, after: Longs) -> tuple[int, int]:
    present = seen.replicas
    if present < 1:
        return 1, 0
    rate = totals.total(seen.rates)
    time = response_times.mean_response(rate, state.mu, present, state.square_a, state.square_s)
    if time > state.high and present < state.k_max:
        return present + 1, 0
    if time < state.low and present > 1:
        return present - 1, 0
    return -1, 0
