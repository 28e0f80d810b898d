"""Figures of a simulated consumer group, from its final state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.simulation.group_result import Actions, Result, Trajectory
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import (
    ACTIONS,
    DOWN,
    LAG,
    LAG_AT_END,
    MOVED,
    PAID_AT_END,
    PEAK_LAG,
    REASSIGNED,
    REPLICA_SECONDS,
    REPROCESSED,
    SAME_INSTANT_S,
    STALLED_SECONDS,
    UP,
    State,
)
from algorithms.simulation.latency_segments import (
    LATE,
    LONGEST,
    LONGEST_BEFORE,
    MASS,
    MOMENT,
    Latencies,
)

SHARES = np.array([0.5, 0.9, 0.95, 0.99, 0.999])
"""Shares of the events for ``p50`` to ``p999``."""


_NOTHING = 1e-12
"""Share of the events that is left through rounding only."""


def events_left(state: State, latencies: Latencies) -> float:
    """Events that never departed."""
    left = float(state.figures[LAG])
    return left if left > _NOTHING * float(latencies.sums[MASS]) else 0.0


def result_of(rules: Rules, state: State, latencies: Latencies, waits: Floats) -> Result:
    """Figures of a run.

    waits: float64[5], percentiles of the time that events wait before half a service time is added.
    """
    figures, counters, record = state.figures, state.counters, state.record
    latency = _latency(rules, events_left(state, latencies), latencies, waits)
    return Result(
        replicas=record.steps[:, PAID_AT_END].astype(np.int64),
        replica_minutes=float(figures[REPLICA_SECONDS]) / 60.0,
        sla_percent=latency.sla_percent,
        mean=latency.mean,
        p50=latency.percentiles[0],
        p90=latency.percentiles[1],
        p95=latency.percentiles[2],
        p99=latency.percentiles[3],
        p999=latency.percentiles[4],
        max=latency.max,
        n_up=int(counters[UP]),
        n_down=int(counters[DOWN]),
        n_reassign=int(counters[REASSIGNED]),
        partitions_moved=int(counters[MOVED]),
        peak_lag=float(figures[PEAK_LAG]),
        unconsumed=float(record.steps[-1, LAG_AT_END]),
        stalled_s=float(figures[STALLED_SECONDS]),
        reprocessed=float(figures[REPROCESSED]),
    )


class _Latency(NamedTuple):
    sla_percent: float | None
    mean: float | None
    max: float | None
    percentiles: tuple[float | None, ...]


def _latency(rules: Rules, left: float, latencies: Latencies, waits: Floats) -> _Latency:
    """Figures of latency; `left` events never departed."""
    sums = latencies.sums
    departed = float(sums[MASS])
    events = departed + left
    if events == 0.0:
        return _Latency(None, None, None, (None,) * SHARES.size)
    half = 0.5 / rules.mu
    endless = left > 0.0
    return _Latency(
        sla_percent=100.0 * ((departed - float(sums[LATE])) / events),
        mean=np.inf if endless else float(sums[MOMENT]) / departed + half,
        max=np.inf if endless else float(max(sums[LONGEST], sums[LONGEST_BEFORE])) + half,
        percentiles=tuple(float(wait) + half for wait in waits),
    )


def trajectory_of(rules: Rules, rates: Floats, state: State) -> Trajectory:
    """Steps of a run."""
    replicas, lag, served, late, stalled_s, paid_s, longest_s = state.record.steps.T
    arrived: Floats = rates.sum(axis=1) * rules.step_s
    return Trajectory(
        replicas.astype(np.int64),
        lag,
        arrived,
        np.diff(served, prepend=0.0),
        np.diff(late, prepend=0.0),
        stalled_s,
        paid_s,
        longest_s + 0.5 / rules.mu,
    )


def actions_of(rules: Rules, state: State) -> Actions:
    """Actions of a run."""
    begun, settled, before, after, moved = state.record.actions[: state.counters[ACTIONS]].T
    return Actions(
        begun,
        before.astype(np.int64),
        after.astype(np.int64),
        moved.astype(np.int64),
        np.where(settled < rules.end_s - SAME_INSTANT_S, settled, np.nan) - begun,
    )
