"""New replicas start: all take one time, or each takes a drawn one and joins when it is ready."""

from __future__ import annotations

import numpy as np

from algorithms.core import keyed_draws
from algorithms.core.compiled import inner
from algorithms.simulation import answers
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import (
    COUNT,
    ENTERING,
    LATER,
    MEMBERS,
    NOW,
    SAME_INSTANT_S,
    TARGET,
    TARGET_KIND,
    State,
)

_START = 6
"""Kind of random numbers, for `keyed_draws.key`."""


@inner
def begin(rules: Rules, state: State) -> float:
    """Start the replicas of an action; return when the first of them join.

    With drawn times, those of a count join one after the other. An answer that names owners needs
    all of them at once: they join with the slowest.
    """
    counters, starts, now = state.counters, state.starts, state.clock[NOW]
    entering = counters[ENTERING]
    if entering == 0:
        return float(now)
    if rules.startups.shape[0] == 0:
        return float(now + rules.startup_s)
    slowest = now
    for i in range(entering):
        starts.ids[i] = state.plan.entering[i]
        starts.ready[i] = now + time_s(rules, starts.ids[i], state)
        slowest = max(slowest, starts.ready[i])
    if counters[TARGET_KIND] != COUNT:
        return float(slowest)
    counters[LATER] = entering
    return next_ready(state)


@inner
def begin_later(rules: Rules, count: int, state: State) -> None:
    """Start replicas that join as they are ready, once the group has settled."""
    starts = state.starts
    answers.list_new(count, state.members, starts.ids)
    for i in range(count):
        starts.ready[i] = state.clock[NOW] + time_s(rules, starts.ids[i], state)
    state.counters[LATER] = count


@inner
def time_s(rules: Rules, id_: int, state: State) -> float:
    """Time that the next start of an id takes."""
    if rules.startups.shape[0] == 0:
        return rules.startup_s
    start = state.starts.counts[id_]
    state.starts.counts[id_] += 1
    return _drawn_s(rules, start, id_)


@inner
def _drawn_s(rules: Rules, start: int, id_: int) -> float:
    """Time that the start of a replica takes, by the number of its starts before."""
    u = keyed_draws.unit(keyed_draws.key(rules.history_seed, _START, start, id_))
    pieces = rules.startups
    last = pieces.shape[0] - 1
    k = 0
    while k < last and u >= pieces[k, 2]:
        u -= pieces[k, 2]
        k += 1
    # Shares sum to 1 but for rounding.
    within = min(u / pieces[k, 2], 1.0)
    return float(pieces[k, 0] + within * (pieces[k, 1] - pieces[k, 0]))


@inner
def next_ready(state: State) -> float:
    """When the next replica is ready of those that have not joined."""
    ready = np.inf
    for i in range(state.counters[LATER]):
        ready = min(ready, state.starts.ready[i])
    return float(ready)


@inner
def enter_ready(state: State) -> None:
    """Plan that the replicas join that are ready, beside the present members."""
    counters, starts, plan = state.counters, state.starts, state.plan
    entering, later = 0, 0
    for i in range(counters[LATER]):
        if starts.ready[i] <= state.clock[NOW] + SAME_INSTANT_S:
            plan.entering[entering] = starts.ids[i]
            entering += 1
        else:
            starts.ids[later] = starts.ids[i]
            starts.ready[later] = starts.ready[i]
            later += 1
    n = counters[MEMBERS]
    for i in range(n):
        plan.after[i] = state.members.ids[i]
    answers.merge(n, entering, plan.after, plan.entering)
    counters[ENTERING] = entering
    counters[LATER] = later
    counters[TARGET] = n + entering
