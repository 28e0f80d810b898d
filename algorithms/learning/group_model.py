"""One second of a consumer group: a fast model for training.

It is the group of `algorithms.simulation` with bursts, decisions each second, eager rebalances
without start-up, heartbeats or pauses, equal rates of all partitions, and the assignor ``range``.
All functions take ``xp``, the module that computes: NumPy, or JAX's counterpart of it. Arguments
broadcast; they have any shape (...).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling.trained import group_inputs, trained_policy
from algorithms.autoscaling.trained.group_inputs import KEPT_S
from algorithms.core.arrays import Bools
from algorithms.learning.learned_group import LearnedGroup

_SURELY = 1.0 - 1e-9


class State(NamedTuple):
    """A group just before a decision."""

    lags: Any
    """``[..., P]``, events that wait."""
    members: Any
    asked: Any
    """`members`, `asked`: consumers that the partitions are assigned to, and the number asked for
    last."""
    waiting: Any
    """Number asked for while a rebalance was under way, 0 for none."""
    busy_s: Any
    """Time until the rebalance under way is over, seconds; 0 if there is none."""
    since_s: Any
    """Time since the number asked for changed, seconds."""
    rates: Any
    """``[..., 60]``, total rates of the last seconds, newest first, events/s."""
    seconds: Any
    """Seconds so far."""


class Second(NamedTuple):
    """What a second brought: replica-seconds paid, late events of its burst, and the reward."""

    paid_s: Any
    late: Any
    reward: Any


def first(settings: LearnedGroup, shape: tuple[int, ...], xp: Any) -> State:
    """Groups at time 0, with one replica and nothing seen."""
    one, none = xp.ones(shape, xp.int32), xp.zeros(shape, xp.int32)
    return State(
        lags=xp.zeros((*shape, settings.partitions)),
        members=one,
        asked=one,
        waiting=none,
        busy_s=xp.zeros(shape),
        since_s=xp.zeros(shape),
        rates=xp.zeros((*shape, KEPT_S)),
        seconds=none,
    )


def shared(partitions: int) -> Bools:
    """Which partitions have the same consumer, ``bool[P, P, P]``, by replicas less 1."""
    p = np.arange(partitions)
    owners = []
    for n in range(1, partitions + 1):
        each, more = divmod(partitions, n)
        big = more * (each + 1)
        owners.append(np.where(p < big, p // (each + 1), more + (p - big) // max(each, 1)))
    rows = np.array(owners)
    same: Bools = rows[:, :, None] == rows[:, None, :]
    return same


def count_of(settings: LearnedGroup, action: str, state: State, output: Any, xp: Any) -> Any:
    """Number of replicas that an output of the network stands for."""
    if action == trained_policy.ACTIONS[0]:
        return output + 1
    base = state.asked
    if action == trained_policy.ACTIONS[2]:
        base = fewest(settings, state.rates[..., : group_inputs.RECENT_PEAK_S].max(-1), xp)
    return xp.clip(base + output - 1, 1, settings.partitions)


def fewest(settings: LearnedGroup, rate: Any, xp: Any) -> Any:
    """Fewest replicas, at most P, that serve a burst in time."""
    p = settings.partitions
    each = np.array([-(-p // n) for n in range(1, p)])
    missed = each * (rate / p)[..., None] * _SURELY > settings.in_time
    return 1 + missed.sum(-1).astype(xp.int32)


def step(
    settings: LearnedGroup, state: State, count: Any, rate: Any, xp: Any
) -> tuple[State, Second]:
    """Carry out a decision, let a burst arrive, and a second pass.

    What is asked for during a rebalance waits until it is over. A rebalance shorter than a second
    is over before the next decision, so at most one can begin within a second. O(P^2).
    """
    begun = _answered(settings, state, xp.clip(count, 1, settings.partitions), xp)
    ends_s = xp.minimum(begun.busy_s, 1.0)
    chained = (begun.busy_s <= 1.0) & (begun.waiting > 0)
    moves = chained & (begun.waiting != begun.members)
    members = xp.where(moves, begun.waiting, begun.members)
    paid_s = begun.members * ends_s + members * (1.0 - ends_s)
    pause_s = xp.where(moves, xp.minimum(ends_s + settings.rebalance_s, 1.0), ends_s)
    busy_s = xp.where(
        moves, begun.busy_s + settings.rebalance_s - 1.0, xp.maximum(begun.busy_s - 1.0, 0.0)
    )
    lags, late = _served(settings, begun.lags, members, rate, pause_s, xp)
    after = State(
        lags=lags,
        members=members,
        asked=begun.asked,
        waiting=xp.where(chained, 0, begun.waiting),
        busy_s=busy_s,
        since_s=begun.since_s + 1.0,
        rates=xp.concatenate([xp.asarray(rate)[..., None], state.rates[..., :-1]], axis=-1),
        seconds=state.seconds + 1,
    )
    cost = paid_s / settings.partitions + settings.weight * late / settings.late_unit
    return after, Second(paid_s, late, xp.maximum(-cost, -settings.worst))


def _answered(settings: LearnedGroup, state: State, count: Any, xp: Any) -> State:
    """The group after a decision: a rebalance begins, or its number waits for one to end."""
    settled = state.busy_s <= 0.0
    begins = settled & (count != state.members)
    return state._replace(
        members=xp.where(begins, count, state.members),
        asked=count,
        waiting=xp.where(settled, 0, count),
        busy_s=xp.where(begins, settings.rebalance_s, state.busy_s),
        since_s=xp.where(count == state.asked, state.since_s, 0.0),
    )


def _served(
    settings: LearnedGroup, lags: Any, members: Any, rate: Any, pause_s: Any, xp: Any
) -> tuple[Any, Any]:
    """Lags after a second, and late events of its burst."""
    same = xp.asarray(shared(settings.partitions))[members - 1]
    burst = (xp.asarray(rate) / settings.partitions)[..., None]
    queue = lags + burst
    emptied = (xp.minimum(queue[..., None, :], queue[..., :, None]) * same).sum(-1)
    in_time = settings.mu * xp.maximum(settings.limit_s - pause_s, 0.0)
    served = _departed(queue, same, emptied, in_time, xp)
    late = burst - xp.clip(served - lags, 0.0, burst)
    whole = _departed(queue, same, emptied, settings.mu * (1.0 - pause_s), xp)
    return xp.maximum(queue - whole, 0.0), late.sum(-1)


def _departed(queue: Any, same: Any, emptied: Any, budget: Any, xp: Any) -> Any:
    """Events that depart from each partition in turn; `emptied`: served by when it is empty."""
    empty = emptied <= budget[..., None]
    gone = (xp.where(empty, queue, 0.0)[..., None, :] * same).sum(-1)
    left = ((~empty)[..., None, :] & same).sum(-1)
    share = (budget[..., None] - gone) / xp.maximum(left, 1)
    return xp.where(empty, queue, share)


def inputs_of(settings: LearnedGroup, state: State, xp: Any) -> Any:
    """What the network observes, ``[..., 9 + 3 P]``; see `algorithms.autoscaling.trained`."""
    mu, p = settings.mu, settings.partitions
    rates, seconds = state.rates, state.seconds
    last = rates[..., 0]
    means = [_mean(rates, seconds, 0, length, xp) for length in group_inputs.MEANS_S]
    peaks = [rates[..., :length].max(-1) for length in group_inputs.PEAKS_S]
    span = group_inputs.TREND_S
    before = _mean(rates, seconds, span, span, xp)
    trend = xp.where(seconds > span, means[0] - before, 0.0)
    same = xp.asarray(shared(p))[state.members - 1]
    lag = (state.lags[..., None, :] * same).sum(-1).max(-1)
    scaled = [one / (group_inputs.RATE_UNIT * mu) for one in (last, *means, *peaks)]
    scaled += [trend / (group_inputs.TREND_UNIT * mu), lag / (group_inputs.LAG_UNIT * mu)]
    counts = xp.arange(1, p + 1)
    return xp.concatenate(
        [
            xp.stack(scaled, axis=-1),
            (state.asked[..., None] == counts).astype(scaled[0].dtype),
            _late_shares(settings, last, xp),
            _late_shares(settings, group_inputs.SURPLUS * last, xp),
            xp.minimum(state.since_s / KEPT_S, 1.0)[..., None],
        ],
        axis=-1,
    )


def _mean(rates: Any, seconds: Any, start: int, length: int, xp: Any) -> Any:
    count = xp.clip(seconds - start, 0, length)
    return rates[..., start : start + length].sum(-1) / xp.maximum(count, 1)


def _late_shares(settings: LearnedGroup, rate: Any, xp: Any) -> Any:
    """Share of a burst that is late, by replicas, ``[..., P]``."""
    p = settings.partitions
    counts = np.arange(1, p + 1)
    each = p // counts
    more = p - each * counts
    part = (rate / p)[..., None]
    late = more * xp.maximum((each + 1) * part - settings.in_time, 0.0)
    late = late + (counts - more) * xp.maximum(each * part - settings.in_time, 0.0)
    return late / xp.maximum(rate, 1e-9)[..., None]
