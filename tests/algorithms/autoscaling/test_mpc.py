"""The planner ``mpc``: as good as the best of all plans, and cases by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.algorithms.autoscaling import cases, plain_counting, plain_planning

pytestmark = pytest.mark.unit

BURSTS = cases.GROUP._replace(mu=200.0, burst=True, rebalance_s=0.05)


def counts(*totals: float, replicas: int = 1, lag: float = 0.0, **arguments: float) -> list[int]:
    """Answers to these total rates, equal on all partitions."""
    rng = np.random.default_rng(0)
    seen = [
        cases.seen(
            rng,
            BURSTS,
            rates=np.full(5, total / 5),
            lags=np.full(5, lag / 5),
            replicas=replicas,
            time=float(k),
        )
        for k, total in enumerate(totals)
    ]
    return [answer[0] for answer in cases.decided("mpc", BURSTS, *seen, **arguments)]


@pytest.mark.parametrize("seed", range(4))
def test_no_plan_costs_less(seed: int) -> None:
    """Small groups, so that all plans can be tried; ties may be decided either way."""
    rng = np.random.default_rng(seed)
    for _ in range(6):
        group = cases.group(rng, partitions=3, max_replicas=3)
        arguments: dict[str, Any] = {
            "w": float(rng.choice([0.02, 0.3, 3.0])),
            "horizon": int(rng.integers(1, 5)),
            "scenarios": int(rng.integers(1, 5)),
        }
        totals, seen = [], []
        for k in range(8):
            one = cases.seen(
                rng, group, time=k * group.decision_s, replicas=int(rng.integers(1, 4))
            )
            seen.append(one)
            totals.append(plain_counting.added(one.rates.tolist()))
        answers = cases.decided("mpc", group, *seen, **arguments)
        for k, (one, answer) in enumerate(zip(seen, answers, strict=True)):
            lag = plain_counting.added(one.lags.tolist())
            costs = plain_planning.plans(
                group, totals[: k + 1], one.rates.tolist(), lag, one.replicas, **arguments
            ).costs
            assert costs[answer[0]] == pytest.approx(min(costs.values()), rel=1e-9)


def test_a_burst_that_one_replica_serves_needs_one() -> None:
    assert counts(99.0) == [1]
    assert counts(150.0, w=0.2) == [2]


def test_a_late_event_that_costs_little_is_late() -> None:
    # A second replica costs 1 per second; 50.5 late events cost 0.5.
    assert counts(150.0, w=0.01) == [1]


def test_what_returned_before_is_expected() -> None:
    """Rates alternate: with the changes that followed earlier times, it prepares for the high."""
    pattern = [20.0, 20.0, 20.0, 300.0] * 10
    assert counts(*pattern, 20.0, 20.0, 20.0, w=1.0, horizon=1, scenarios=32)[-1] > 1
    assert counts(*pattern, 20.0, 20.0, 20.0, w=1.0, horizon=1, scenarios=1)[-1] == 1


def test_a_pause_that_costs_more_than_it_saves_is_avoided() -> None:
    group = BURSTS._replace(rebalance_s=0.5)
    rng = np.random.default_rng(0)
    seen = cases.seen(rng, group, rates=np.full(5, 40.0), lags=np.zeros(5), replicas=4)
    for horizon, replicas in ((2, 4), (60, 3)):
        ((answer, *_),) = cases.decided("mpc", group, seen, w=0.1, horizon=horizon)
        assert answer == replicas


def test_lag_is_served_first() -> None:
    assert counts(90.0, lag=300.0, w=1.0)[0] > counts(90.0, w=1.0)[0]
