"""Comparison of a simulated group with a plain one."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from algorithms.simulation.group_result import Detailed
from tests.algorithms.simulation import plain_latency
from tests.algorithms.simulation.plain_settings import Plain, Setup

QUANTILES = {"p50": "0.5", "p90": "0.9", "p95": "0.95", "p99": "0.99", "p999": "0.999"}


def near(exact: Fraction) -> object:
    return pytest.approx(float(exact), rel=1e-9, abs=1e-9)


def check_counts(detailed: Detailed, plain: Plain) -> None:
    """Replicas, actions and moves agree exactly."""
    result, actions = detailed.result, detailed.actions
    assert result.replicas.tolist() == plain.replicas
    assert (result.n_up, result.n_down, result.n_reassign) == (
        plain.up,
        plain.down,
        plain.reassigned,
    )
    assert result.partitions_moved == plain.moved
    assert actions.before.tolist() == [action["before"] for action in plain.actions]
    assert actions.after.tolist() == [action["after"] for action in plain.actions]
    assert actions.moved.tolist() == [action["moved"] for action in plain.actions]
    assert actions.time_s.tolist() == [near(action["time"]) for action in plain.actions]
    settled = [action["settled"] for action in plain.actions]
    for after, exact in zip(actions.settled_after_s.tolist(), settled, strict=True):
        assert math.isnan(after) if exact is None else after == near(exact)


def check_lags(detailed: Detailed, plain: Plain) -> None:
    """Integrals, lags and the steps agree."""
    result, trajectory = detailed.result, detailed.trajectory
    assert result.replica_minutes == near(plain.replica_seconds / 60)
    assert result.peak_lag == near(plain.peak_lag)
    assert result.unconsumed == near(plain.unconsumed)
    assert result.stalled_s == near(plain.stalled)
    assert result.reprocessed == near(plain.reprocessed)
    assert trajectory.lag.tolist() == [near(lag) for lag in plain.step_lags]
    assert trajectory.stalled_s.tolist() == [near(s) for s in plain.step_stalled]
    assert trajectory.paid_s.tolist() == [near(s) for s in plain.step_paid]
    assert trajectory.served.tolist() == [near(s) for s in plain.step_served]


def check_latency(detailed: Detailed, plain: Plain, setup: Setup) -> None:
    """SLA, mean, percentiles and maximum agree."""
    result, parts, half = detailed.result, plain.segments, 1 / (2 * setup.mu)
    events = sum((mass for mass, _, _ in parts), Fraction(0)) + plain.left
    if events == 0:
        assert result.sla_percent is None
        assert [getattr(result, name) for name in (*QUANTILES, "mean", "max")] == [None] * 7
        return
    within = plain_latency.share(parts, setup.wsla_s - half)
    assert result.sla_percent == near(100 * within / events)
    for name, q in QUANTILES.items():
        exact = plain_latency.percentile(parts, plain.left, Fraction(q)) if parts else None
        assert getattr(result, name) == (math.inf if exact is None else near(exact + half)), name
    if plain.left > 0:
        assert result.mean == result.max == math.inf
        return
    total = sum(mass * (first + last) / 2 for mass, first, last in parts)
    assert result.mean == near(total / events + half)
    assert result.max == near(max(max(first, last) for _, first, last in parts) + half)
