"""Bounds of blocks, against linear programs in which events flow from arrivals to replicas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from algorithms.bounds import replica_blocks
from algorithms.bounds.plan_terms import Terms, check_group

pytestmark = pytest.mark.unit

Array = NDArray[np.float64]

TICK_S = 0.5
MU = 10.0


def settings(window_s: float, low: int, high: int) -> dict[str, Any]:
    """A group without delays; half a service time is not part of the window."""
    return {
        "arrivals": "burst",
        "mu": MU,
        "wsla_s": window_s + 0.5 / MU,
        "min_replicas": low,
        "max_replicas": high,
        "initial_replicas": high,
        "rebalance_s": 0.0,
    }


def program(
    bursts: Array, window_s: float, low: float, high: float, weight: float, until_s: float
) -> float:
    """Least ``integral of replicas + weight * late`` of any real numbers of replicas over time.

    Variables: what is served of each burst in each tick, then the replicas of each tick. Those
    after the end are free, up to the most.
    """
    ticks, window = round(until_s / TICK_S) + round(window_s / TICK_S), round(window_s / TICK_S)
    per_step = round(1.0 / TICK_S)
    n, ends = bursts.size, round(until_s / TICK_S)
    # Late events cost the weight, so served ones save it.
    costs = np.full(n * ticks + ticks, -weight)
    costs[n * ticks :] = np.where(np.arange(ticks) < ends, TICK_S, 0.0)
    limits: list[tuple[float, float | None]] = []
    for k in range(n):
        in_time = range(k * per_step, k * per_step + window)
        limits += [(0.0, None if t in in_time else 0.0) for t in range(ticks)]
    limits += [(low, high)] * ticks
    served = np.zeros((n + ticks, n * ticks + ticks))
    for k in range(n):
        served[k, k * ticks : (k + 1) * ticks] = 1.0
    for t in range(ticks):
        served[n + t, t : n * ticks : ticks] = 1.0
        served[n + t, n * ticks + t] = -MU * TICK_S
    right = np.append(bursts, np.zeros(ticks))
    solved = linprog(costs, A_ub=served, b_ub=right, bounds=limits)
    return float(solved.fun) + weight * float(bursts.sum())


def case(seed: int) -> tuple[Array, float, int, int, Terms, Array]:
    rng = np.random.default_rng(seed)
    low, high = int(rng.integers(0, 2)), int(rng.integers(1, 4))
    window_s = float(rng.choice([0.5, 1.0, 1.5, 2.5]))
    bursts = rng.choice([0.0, 5.0, 10.0, 23.0, 60.0], 7)
    # One event more or less per partition is enough for any of them to be served by a replica.
    rates = np.repeat(bursts[:, None] / 12.0, 12, axis=1)
    _, terms = check_group(rates, settings(window_s, low, high))
    return bursts, window_s, low, high, terms, rates


@pytest.mark.parametrize("seed", range(30))
def test_replicas_of_any_number_at_any_time_cost_at_least_the_bound(seed: int) -> None:
    bursts, window_s, low, high, terms, rates = case(seed)
    for weight in (0.02, 0.1, 0.3, 2.0):
        least = program(bursts, window_s, low, high, weight, until_s=7.0)
        cuts = replica_blocks.every_cut(rates, terms)
        bounds = [replica_blocks.lower_bound(blocks, terms, weight) for blocks in cuts]
        assert max(bounds) <= least + 1e-6
        assert max(bounds) >= 0.5 * least


@pytest.mark.parametrize("seed", range(30))
def test_what_is_late_with_constant_replicas(seed: int) -> None:
    """No flow of events has fewer late ones than the queue that overflows."""
    bursts, window_s, _, high, _, _ = case(100 + seed)
    bursts[-3:] = 0.0
    rates = np.repeat(bursts[:, None] / 12.0, 12, axis=1)
    _, terms = check_group(rates, settings(window_s, high, high))
    whole = replica_blocks.every_cut(rates, terms)[-1]
    served = program(bursts, window_s, high, high, 1.0, until_s=7.0) - 7.0 * high
    assert whole.late[0, 0] == pytest.approx(served, abs=1e-6)


def test_cuts_hold_all_events() -> None:
    rates = np.arange(33.0).reshape(11, 3)
    workload, terms = check_group(rates, {"step_s": 2.0})
    cuts = replica_blocks.every_cut(workload, terms)
    assert [blocks.seconds.tolist() for blocks in cuts[2:]] == [
        [8.0, 8.0, 6.0],
        [16.0, 6.0],
        [22.0],
    ]
    for blocks in cuts:
        assert blocks.events.sum() == pytest.approx(2.0 * rates.sum())
        assert (np.diff(blocks.late, axis=1) <= 1e-12).all()


def test_uniform_arrivals_fill_the_queue_steadily() -> None:
    """Twice the rate of a replica for 3 s, then half of it: the queue is full after 0.5 s."""
    rates = np.array([[100.0] * 4] * 3 + [[25.0] * 4] * 5)
    workload, terms = check_group(rates, {"mu": 200.0, "wsla_s": 0.5025, "max_replicas": 2})
    late = replica_blocks.every_cut(workload, terms)[-1].late[0]
    assert late.tolist() == pytest.approx([600.0 - 100.0, 0.0], abs=1e-5)


def test_a_partition_is_served_by_one_replica() -> None:
    """More replicas do not help the one partition that is faster than a replica."""
    rates = np.array([[300.0, 10.0, 10.0]] * 4)
    workload, terms = check_group(rates, {"mu": 200.0, "wsla_s": 0.5025})
    late = replica_blocks.every_cut(workload, terms)[-1].late[0]
    assert late[2] == pytest.approx(4 * 100.0 - 100.0, abs=1e-5)
