"""Results of a simulated consumer group."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.core.arrays import Floats, Longs


class Result(NamedTuple):
    """Figures of a simulated consumer group over N steps.

    Latencies are those of all events. An event that has not departed when the drain limit is over
    has an infinite one. Without events, they are None. All other figures end with step N.

    Attributes
    ----------
    replicas : int64[N]
        Paid replicas as each step ends.
    replica_minutes : float
        Paid replicas, integrated over time.
    sla_percent : float or None
        Events with a latency of at most ``wsla_s``, in %.
    mean, p50, p90, p95, p99, p999, max : float or None
        Latency: mean, percentiles and maximum, in s.
    n_up, n_down, n_reassign : int
        Actions begun with more, fewer and as many replicas.
    partitions_moved : int
        Partitions that a rebalance gave to another member than their last one.
    peak_lag : float
        Greatest total lag at any instant, in events.
    unconsumed : float
        Total lag as step N ends, in events.
    stalled_s : float
        Time that partitions were not consumed, summed over partitions, in s.
    """

    replicas: Longs
    replica_minutes: float
    sla_percent: float | None
    mean: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    p999: float | None
    max: float | None
    n_up: int
    n_down: int
    n_reassign: int
    partitions_moved: int
    peak_lag: float
    unconsumed: float
    stalled_s: float


class Trajectory(NamedTuple):
    """A simulated group step by step.

    Attributes
    ----------
    replicas : int64[N]
        Paid replicas as each step ends.
    lag : float64[N]
        Total lag as each step ends, in events.
    arrived, served, late : float64[N]
        Events that arrived and departed in each step, and those of the latter with a latency above
        ``wsla_s``.
    stalled_s : float64[N]
        Partition-seconds without a consumer in each step.
    paid_s : float64[N]
        Replica-seconds that were paid in each step.
    """

    replicas: Longs
    lag: Floats
    arrived: Floats
    served: Floats
    late: Floats
    stalled_s: Floats
    paid_s: Floats


class Actions(NamedTuple):
    """The D actions of a simulated group, in the order in which they began.

    Attributes
    ----------
    time_s : float64[D]
        When each one began.
    before, after : int64[D]
        Replicas before and after it; equal for a reassignment.
    moved : int64[D]
        Partitions that moved; 0 if the rebalance had not started at the end of step N.
    settled_after_s : float64[D]
        Time until all partitions were consumed again, NaN if that was not before the end of step N.
    """

    time_s: Floats
    before: Longs
    after: Longs
    moved: Longs
    settled_after_s: Floats


class Detailed(NamedTuple):
    """Figures of a simulated group, its steps and its actions."""

    result: Result
    trajectory: Trajectory
    actions: Actions
