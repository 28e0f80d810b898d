"""Results of a simulated consumer group."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.core.arrays import Floats, Longs


class Result(NamedTuple):
    """Figures of a simulated consumer group over N steps.

    Latencies are those of all events. An event that has not departed when the drain limit is over
    has an infinite one. Without events, they are None. All other figures end with step N.
    """

    replicas: Longs
    """int64[N]: paid replicas as each step ends."""
    replica_minutes: float
    """Paid replicas, integrated over time."""
    sla_percent: float | None
    """Events with a latency of at most ``wsla_s``, in %."""
    mean: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    p999: float | None
    max: float | None
    """`mean`, `p50`, `p90`, `p95`, `p99`, `p999`, `max`: latency: mean, percentiles and maximum, in
    s."""
    n_up: int
    n_down: int
    n_reassign: int
    """`n_up`, `n_down`, `n_reassign`: actions begun with more, fewer and as many replicas."""
    partitions_moved: int
    """Partitions that a rebalance gave to another member than their last one."""
    peak_lag: float
    """Greatest total lag at any instant, in events."""
    unconsumed: float
    """Total lag as step N ends, in events."""
    stalled_s: float
    """Time that partitions were not consumed, summed over partitions, in s."""
    reprocessed: float
    """Events that removed members had served and not committed, which are served again."""


class Trajectory(NamedTuple):
    """A simulated group step by step."""

    replicas: Longs
    """int64[N]: paid replicas as each step ends."""
    lag: Floats
    """float64[N]: total lag as each step ends, in events."""
    arrived: Floats
    served: Floats
    late: Floats
    """`arrived`, `served`, `late`: float64[N]: events that arrived and departed in each step, and
    those of the latter with a latency above ``wsla_s``."""
    stalled_s: Floats
    """float64[N]: partition-seconds without a consumer in each step."""
    paid_s: Floats
    """float64[N]: replica-seconds that were paid in each step."""
    longest_s: Floats
    """float64[N]: greatest latency of the events that departed in each step."""


class Actions(NamedTuple):
    """The D actions of a simulated group, in the order in which they began."""

    time_s: Floats
    """float64[D]: when each one began."""
    before: Longs
    after: Longs
    """`before`, `after`: int64[D]: replicas before and after it; equal for a reassignment."""
    moved: Longs
    """int64[D]: partitions that moved; 0 if the rebalance had not started at the end of step N."""
    settled_after_s: Floats
    """float64[D]: time until all partitions were consumed again, NaN if that was not before the end
    of step N."""
    over_s: tuple[float, ...] = ()
    """When the group had settled after each incident, s; infinite if it did not."""


class Detailed(NamedTuple):
    """Figures of a simulated group, its steps and its actions."""

    result: Result
    trajectory: Trajectory
    actions: Actions
