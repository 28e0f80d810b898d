"""Replicas by a plan over the next decisions: an exact dynamic program over forecast scenarios."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import totals
from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inlined, kernel

_KEPT = 120
"""Decisions whose rates are remembered."""


class Service(NamedTuple):
    """What consumers serve in time."""

    step_s: float
    decision_s: float
    """`step_s`, `decision_s`: length of a step, and time between decisions, seconds."""
    in_time: float
    paused: float
    """`in_time`, `paused`: events of a step that one consumer serves in time, and of a step that a
    rebalance begins."""
    longer: float
    """Decisions that a pause lasts, at least 1."""


class Mpc(NamedTuple):
    """State of the strategy ``mpc``."""

    partitions: int
    service: Service
    """What consumers serve in time."""
    rates: Floats
    """float64[120]: total rates of the last decisions, in a ring, events/s."""
    seen: Longs
    """int64[1]: decisions so far."""
    forecasts: Floats
    """float64[scenarios, horizon]: total rates to expect, events/s."""
    shares: Floats
    """float64[R, R]: share of the events that each of 1 to R members gets, by members less 1."""
    values: Floats
    """float64[2, R]: least cost from a decision on, by members less 1."""
    stay: Floats
    change: Floats
    """`stay`, `change`: float64[R]: cost of a decision without and with a change of the members."""
    least: int
    most: int
    w: float
    horizon: int
    scenarios: int
    """`least`, `most`, `w`, `horizon`, `scenarios`: bounds of the replicas, and the arguments of
    `start`."""


def start(group: Group, *, w: float, horizon: int, scenarios: int) -> Mpc:
    """Start ``mpc``: the first step of the plan that costs least on average over scenarios.

    A plan is a number of replicas for each of the next decisions. It costs replica-seconds, and `w`
    for each event that is expected to be late. The dynamic program finds the best one exactly.

    w: Price of a late event, replica-seconds.
    horizon: Decisions that a plan covers.
    scenarios: Most forecasts of the total rate. The first one keeps the last rate. Each other one
        adds to it the changes that followed an earlier time, of times evenly spread over the last
        120 decisions.

    Model: members get contiguous partitions with the present shares of the rate; what is late, is
    served in its step nevertheless; lag is served first, with the next events; every change
    of the number stops all partitions for a rebalance, counted in the decision in which it begins;
    replicas start at once. Of plans that cost the same, the present number counts first, then the
    lowest. O(H S R^2) for R numbers of replicas, at most P.
    """
    most = max(min(group.max_replicas, group.partitions), 1)
    return Mpc(
        partitions=group.partitions,
        service=_service(group),
        rates=np.zeros(_KEPT),
        seen=np.zeros(1, np.int64),
        forecasts=np.zeros((scenarios, horizon)),
        shares=np.zeros((most, most)),
        values=np.zeros((2, most)),
        stay=np.zeros(most),
        change=np.zeros(most),
        least=min(max(group.min_replicas, 1), most),
        most=most,
        w=w,
        horizon=horizon,
        scenarios=scenarios,
    )


def _service(group: Group) -> Service:
    pause_s = group.rebalance_s + group.heartbeat_s
    limit_s = group.wsla_s - 0.5 / group.mu if group.burst else group.step_s
    return Service(
        step_s=group.step_s,
        decision_s=group.decision_s,
        in_time=group.mu * max(limit_s, 0.0),
        paused=group.mu * max(limit_s - pause_s, 0.0),
        longer=max(pause_s / group.decision_s, 1.0),
    )


@decides(Mpc)
@kernel
def _decide(state: Mpc, seen: Seen, after: Longs) -> tuple[int, int]:
    total = totals.total(seen.rates)
    state.rates[state.seen[0] % _KEPT] = total
    state.seen[0] += 1
    count = _forecast(state, total)
    _fill_shares(state, seen.rates, total)
    present = min(max(seen.replicas, state.least), state.most)
    row = 0
    for n in range(state.most):
        state.values[row, n] = 0.0
    for h in range(state.horizon - 1, 0, -1):
        _price(state, count, h, 0.0)
        best = _best_change(state, row)
        for n in range(state.least - 1, state.most):
            kept = state.stay[n] + state.values[row, n]
            changed = state.change[best] + state.values[row, best]
            state.values[1 - row, n] = min(kept, changed)
        row = 1 - row
    _price(state, count, 0, totals.total(seen.lags))
    best = _best_change(state, row)
    kept = state.stay[present - 1] + state.values[row, present - 1]
    if state.change[best] + state.values[row, best] < kept:
        return best + 1, 0
    return present, 0


@inlined
def _ago(state: Mpc, decisions: int) -> float:
    return float(state.rates[(state.seen[0] - 1 - decisions) % _KEPT])


@kernel
def _forecast(state: Mpc, last: float) -> int:
    """Fill in the scenarios; return their number."""
    for h in range(state.horizon):
        state.forecasts[0, h] = last
    apart = max((_KEPT - state.horizon) // state.scenarios, 1)
    count = 1
    for s in range(1, state.scenarios):
        base = state.horizon + (s - 1) * apart
        if base >= min(state.seen[0], _KEPT):
            break
        for h in range(state.horizon):
            change = _ago(state, base - 1 - h) - _ago(state, base)
            state.forecasts[s, h] = max(last + change, 0.0)
        count += 1
    return count


@kernel
def _fill_shares(state: Mpc, rates: Floats, total: float) -> None:
    for members in range(1, state.most + 1):
        each = state.partitions // members
        more = state.partitions - each * members
        p = 0
        for member in range(members):
            share = 0.0
            for _ in range(each + (member < more)):
                share += rates[p] / total if total > 0.0 else 1.0 / state.partitions
                p += 1
            state.shares[members - 1, member] = share


@kernel
def _price(state: Mpc, count: int, h: int, lag: float) -> None:
    """Fill in the costs of a decision, without and with a change."""
    service = state.service
    steps = service.decision_s / service.step_s
    for n in range(state.least - 1, state.most):
        late, more = 0.0, 0.0
        for s in range(count):
            events = state.forecasts[s, h] * service.step_s
            first = _late(state, n, events + lag, service.in_time)
            late += first + (steps - 1.0) * _late(state, n, events, service.in_time)
            more += _late(state, n, events + lag, service.paused) - first
        paid = (n + 1) * service.decision_s
        state.stay[n] = paid + state.w * late / count
        state.change[n] = paid + state.w * (late + service.longer * more) / count


@kernel
def _late(state: Mpc, n: int, events: float, in_time: float) -> float:
    late = 0.0
    for member in range(n + 1):
        late += max(events * state.shares[n, member] - in_time, 0.0)
    return late


@kernel
def _best_change(state: Mpc, row: int) -> int:
    """The lowest members less 1 with the least cost if the number changes to them."""
    best = state.least - 1
    for n in range(state.least, state.most):
        cost = state.change[n] + state.values[row, n]
        if cost < state.change[best] + state.values[row, best]:
            best = n
    return best
