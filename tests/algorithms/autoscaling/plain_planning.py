"""The planner ``mpc``, by trying every plan."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from algorithms.autoscaling import Group
from tests.algorithms.autoscaling.plain_counting import added


class Planned(NamedTuple):
    """Least cost of the plans that begin with each number of replicas."""

    costs: dict[int, float]


def forecasts(totals: Sequence[float], horizon: int, scenarios: int) -> list[list[float]]:
    """Scenarios after these totals, newest last."""
    last, kept = totals[-1], list(totals)[-120:][::-1]
    paths = [[last] * horizon]
    apart = max((120 - horizon) // scenarios, 1)
    for s in range(scenarios - 1):
        base = horizon + s * apart
        if base >= len(kept):
            break
        paths.append([max(last + kept[base - 1 - h] - kept[base], 0.0) for h in range(horizon)])
    return paths


def late(rates: Sequence[float], members: int, events: float, in_time: float) -> float:
    """Late events of a step if members get contiguous partitions."""
    total, place, late_events = added(rates), 0, 0.0
    for member in range(members):
        size = len(rates) // members + (member < len(rates) % members)
        own = rates[place : place + size]
        share = sum(own) / total if total > 0 else size / len(rates)
        late_events += max(events * share - in_time, 0.0)
        place += size
    return late_events


def plans(
    group: Group,
    totals: Sequence[float],
    rates: Sequence[float],
    lag: float,
    present: int,
    w: float,
    horizon: int,
    scenarios: int,
) -> Planned:
    """Every plan, priced over every scenario."""
    pause = group.rebalance_s + group.heartbeat_s
    limit = group.wsla_s - 0.5 / group.mu if group.burst else group.step_s
    counts = range(max(group.min_replicas, 1), min(group.max_replicas, group.partitions) + 1)
    paths = forecasts(totals, horizon, scenarios)
    steps = group.decision_s / group.step_s
    costs: dict[int, float] = {}
    for plan in product(counts, repeat=horizon):
        cost, before = 0.0, present
        for h, members in enumerate(plan):
            expected = 0.0
            for scenario in paths:
                events = scenario[h] * group.step_s
                queue = events + (lag if h == 0 else 0.0)
                first = late(rates, members, queue, group.mu * max(limit, 0.0))
                expected += first
                expected += (steps - 1) * late(rates, members, events, group.mu * max(limit, 0.0))
                if members != before:
                    paused = late(rates, members, queue, group.mu * max(limit - pause, 0.0))
                    expected += max(pause / group.decision_s, 1.0) * (paused - first)
            cost += members * group.decision_s + w * expected / len(paths)
            before = members
        costs[plan[0]] = min(cost, costs.get(plan[0], float("inf")))
    return Planned(costs)
