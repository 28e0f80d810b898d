"""When members learn of a rebalance: at their own heartbeats.

Where `heartbeats` is ``whole``, nothing here is used: `partition_moves` charges the whole interval.
"""

from __future__ import annotations

import numpy as np

from algorithms.core import keyed_draws
from algorithms.core.compiled import inner
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import (
    ASSIGNED,
    ENTERING,
    IN_STEP,
    INCREMENTAL,
    MEMBERS,
    NOW,
    REJOINS,
    SAME_INSTANT_S,
    SINCE,
    TARGET,
    WHOLE,
    State,
)

_HEARTBEAT = 2
"""Kind of random numbers, for `keyed_draws.key`."""


@inner
def start(rules: Rules, state: State) -> None:
    """Draw the phases of the first members, at time 0."""
    beats = state.heartbeats
    first = keyed_draws.unit(keyed_draws.key(rules.history_seed, _HEARTBEAT, 0, 0))
    beats.times[SINCE] = (first - 1.0) * rules.heartbeat_s
    for m in range(state.counters[MEMBERS]):
        _draw(rules, state.members.ids[m], state)


@inner
def enrol(rules: Rules, state: State) -> None:
    """Draw the phases of the members that join now.

    If none joins or leaves, the first member has the group rebalance, as its leader can.
    """
    counters, is_new = state.counters, state.heartbeats.is_new
    is_same = counters[ENTERING] == 0 and counters[TARGET] == counters[MEMBERS]
    state.heartbeats.times[REJOINS] = 1.0 if is_same else 0.0
    is_new[:] = False
    for i in range(counters[ENTERING]):
        _draw(rules, state.plan.entering[i], state)
        is_new[state.plan.entering[i]] = True


@inner
def _draw(rules: Rules, id_: int, state: State) -> None:
    """Draw the phase of a member by its id and the number of times that it joined before."""
    beats = state.heartbeats
    cell = keyed_draws.key(rules.history_seed, _HEARTBEAT, beats.joins[id_], id_)
    beats.phases[id_] = keyed_draws.unit(cell)
    beats.joined[id_] = state.clock[NOW]
    beats.joins[id_] += 1


@inner
def restart(rules: Rules, at: float, state: State) -> None:
    """Classic members in step have their assignments: their heartbeats count from then on."""
    if rules.heartbeats == IN_STEP:
        state.heartbeats.times[SINCE] = at


@inner
def begins(rules: Rules, joined_s: float, state: State) -> float:
    """When a rebalance begins of which the coordinator knows at a time.

    Classic ones begin at once, and wait for those who have to learn. Under ``incremental`` the
    coordinator assigns no sooner than its interval after the last assignment.
    """
    if rules.protocol != INCREMENTAL:
        return joined_s
    times = state.heartbeats.times
    at = max(joined_s, times[ASSIGNED] + rules.assignment_interval_s)
    times[ASSIGNED] = at
    return float(at)


@inner
def tell(rules: Rules, at: float, interval_s: float, state: State) -> None:
    """A round of the classic protocols begins at a time: note when each member learns of it."""
    members, beats = state.members, state.heartbeats
    for m in range(state.counters[MEMBERS]):
        beats.learns[m] = next_beat(rules, members.ids[m], at, interval_s, state)
        members.stops[m] = np.inf


@inner
def tell_first(rules: Rules, state: State) -> None:
    """The first round begins now: those that join know, and the leader that rejoins."""
    tell(rules, state.clock[NOW], rules.heartbeat_s, state)
    members, rejoins = state.members, state.heartbeats.times[REJOINS] > 0.0
    for m in range(state.counters[MEMBERS]):
        if state.heartbeats.is_new[members.ids[m]] or (rejoins and m == 0):
            state.heartbeats.learns[m] = state.clock[NOW]


@inner
def next_beat(rules: Rules, id_: int, at: float, interval_s: float, state: State) -> float:
    """The first heartbeat of a member from a time on.

    Under ``incremental``, one that joins in this rebalance sends the first as it joins: it has no
    phase of its own yet.
    """
    if interval_s <= 0.0:
        return at
    beats = state.heartbeats
    if rules.heartbeats == IN_STEP and rules.protocol != INCREMENTAL:
        first = beats.times[SINCE] + interval_s
    elif rules.protocol == INCREMENTAL and beats.is_new[id_]:
        first = beats.joined[id_]
    else:
        first = beats.joined[id_] + beats.phases[id_] * interval_s
    missed = np.ceil((at - SAME_INSTANT_S - first) / interval_s)
    return float(max(first + max(missed, 0.0) * interval_s, at))


@inner
def gives_up(rules: Rules, owner: int, state: State) -> float:
    """When an owner gives up a partition that moves under ``incremental``: now if it has left."""
    now = state.clock[NOW]
    if owner < 0:
        return float(now)
    return next_beat(rules, owner, now, rules.heartbeat_s, state)


@inner
def are_used(rules: Rules) -> bool:
    """Whether members learn at their own heartbeats."""
    return bool(rules.heartbeats != WHOLE)
