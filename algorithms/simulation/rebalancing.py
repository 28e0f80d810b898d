"""Actions of a group: replicas start and stop, and a rebalance moves partitions."""

from __future__ import annotations

import numpy as np

from algorithms.assignment.assignors import placement
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel
from algorithms.simulation import answers, rounding, service_rates
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import (
    ACTIONS,
    AFTER,
    BEFORE,
    BEGUN,
    BEGUN_AT,
    COOPERATIVE,
    COUNT,
    DOWN,
    DUE,
    EAGER,
    ENTERING,
    JOINED,
    MEMBERS,
    MOVED,
    NO_ANSWER,
    NOW,
    PAID,
    PARTITIONS_MOVED,
    PHASE,
    REASSIGNED,
    RESUMING,
    SAME_INSTANT_S,
    SETTLED,
    SETTLED_AT,
    STALLED,
    STARTING,
    TARGET,
    TARGET_KIND,
    UNOWNED,
    UP,
    WAITING,
    WAITING_KIND,
    Members,
    Partitions,
    State,
)


@kernel
def place_first(rules: Rules, state: State) -> None:
    """Let the assignor place all partitions on the members at time 0; nothing moves."""
    partitions = state.partitions
    _assign(rules, state)
    for p in range(partitions.owners.shape[0]):
        partitions.owners[p] = state.plan.target[p]
        partitions.last_owners[p] = state.plan.target[p]
    _group(state)


@kernel
def settle_due(rules: Rules, state: State) -> None:
    """Carry out all group events that are due, and begin what waited for them."""
    while state.clock[DUE] <= state.clock[NOW] + SAME_INSTANT_S:
        phase = state.counters[PHASE]
        if phase == STARTING:
            _join(rules, state)
        elif phase == JOINED:
            _rebalance(rules, state)
        else:
            _resume(state)
        if state.counters[PHASE] == SETTLED and state.counters[WAITING_KIND] != NO_ANSWER:
            begin_waiting(rules, state)


@kernel
def begin_waiting(rules: Rules, state: State) -> None:
    """Begin the action that the waiting answer asks for, unless it changes nothing."""
    clock, counters = state.clock, state.counters
    count, kind = counters[WAITING], counters[WAITING_KIND]
    counters[WAITING_KIND] = NO_ANSWER
    if clock[NOW] >= rules.end_s - SAME_INSTANT_S:
        return
    if not answers.resolve(count, kind, state):
        return
    _note(count, clock[NOW], counters, state.record.actions)
    counters[TARGET] = count
    counters[PAID] += counters[ENTERING]
    counters[PHASE] = STARTING
    clock[BEGUN] = clock[NOW]
    clock[DUE] = clock[NOW] + (rules.startup_s if counters[ENTERING] > 0 else 0.0)


@kernel
def _note(count: int, now: float, counters: Longs, actions: Floats) -> None:
    """Record and count an action that begins."""
    row, members = actions[counters[ACTIONS]], counters[MEMBERS]
    row[BEGUN_AT] = now
    row[BEFORE] = members
    row[AFTER] = count
    row[PARTITIONS_MOVED] = 0.0
    counters[ACTIONS] += 1
    if count > members:
        counters[UP] += 1
    elif count < members:
        counters[DOWN] += 1
    else:
        counters[REASSIGNED] += 1


@kernel
def _join(rules: Rules, state: State) -> None:
    """New members join, removed ones stop, and their partitions wait."""
    counters, members, owners = state.counters, state.members, state.partitions.owners
    n = counters[TARGET]
    for i in range(counters[MEMBERS]):
        members.places[members.ids[i]] = UNOWNED
    for i in range(n):
        members.ids[i] = state.plan.after[i]
        members.places[members.ids[i]] = i
    for p in range(owners.shape[0]):
        if owners[p] != UNOWNED and members.places[owners[p]] == UNOWNED:
            owners[p] = UNOWNED
    counters[MEMBERS] = n
    counters[PAID] = n
    counters[PHASE] = JOINED
    state.clock[DUE] = state.clock[NOW] + rules.heartbeat_s
    service_rates.set_speeds(rules, counters, members)
    _group(state)


@kernel
def _rebalance(rules: Rules, state: State) -> None:
    """Give partitions to their new owners; those that moved, or all, are not consumed for now."""
    counters, partitions = state.counters, state.partitions
    now = state.clock[NOW]
    if counters[TARGET_KIND] == COUNT:
        _assign(rules, state)
    moved = 0
    for p in range(partitions.owners.shape[0]):
        owner, last = state.plan.target[p], partitions.last_owners[p]
        moves = owner not in (UNOWNED, last)
        moved += moves
        partitions.owners[p] = owner
        partitions.resumes[p] = now + _pause(rules, moves, state.members.places, last)
        if owner != UNOWNED:
            partitions.last_owners[p] = owner
    if now < rules.end_s - SAME_INSTANT_S:
        counters[MOVED] += moved
        state.record.actions[counters[ACTIONS] - 1, PARTITIONS_MOVED] = moved
    counters[PHASE] = RESUMING
    _resume(state)


@kernel
def _pause(rules: Rules, moves: bool, places: Longs, last: int) -> float:
    """How long a partition is not consumed after the beginning of a rebalance."""
    if not moves:
        return rules.rebalance_s if rules.protocol == EAGER else 0.0
    revoked = rules.protocol == COOPERATIVE and last != UNOWNED and places[last] != UNOWNED
    return (2.0 if revoked else 1.0) * rules.rebalance_s + rules.move_pause_s


@kernel
def _assign(rules: Rules, state: State) -> None:
    """Let the assignor fill the target, from whole events of lag."""
    partitions, lags = state.partitions, state.observed.lags
    for p in range(lags.shape[0]):
        lags[p] = np.floor(rounding.six_decimals(partitions.lags[p]))
    members = state.members.ids[: state.counters[MEMBERS]]
    placement.settle(
        rules.assignor, members, partitions.owners, lags, state.plan.target, state.scratch
    )


@kernel
def _resume(state: State) -> None:
    """Let members consume what no longer waits; settled if nothing does."""
    clock, counters = state.clock, state.counters
    clock[DUE] = np.inf
    for at in state.partitions.resumes:
        if at > clock[NOW] + SAME_INSTANT_S:
            clock[DUE] = min(clock[DUE], at)
    if clock[DUE] == np.inf:
        counters[PHASE] = SETTLED
        state.record.actions[counters[ACTIONS] - 1, SETTLED_AT] = clock[NOW]
    _group(state)


@kernel
def _group(state: State) -> None:
    """Group the partitions by the member that serves them now."""
    counters, members = state.counters, state.members
    n = counters[MEMBERS]
    group_by_member(n, state.clock[NOW], state.partitions, members)
    counters[STALLED] = members.starts[n + 1] - members.starts[n]


@kernel
def group_by_member(n: int, now: float, partitions: Partitions, members: Members) -> None:
    """Group the partitions by the one of n members that serves them; last, those that wait."""
    owners, starts = partitions.owners, members.starts
    starts[: n + 2] = 0
    for p in range(owners.shape[0]):
        starts[_server(p, n, now, partitions, members.places) + 1] += 1
    for m in range(n + 1):
        starts[m + 1] += starts[m]
    for p in range(owners.shape[0]):
        m = _server(p, n, now, partitions, members.places)
        members.served[starts[m]] = p
        starts[m] += 1
    for m in range(n + 1, 0, -1):
        starts[m] = starts[m - 1]
    starts[0] = 0


@kernel
def _server(p: int, n: int, now: float, partitions: Partitions, places: Longs) -> int:
    """Position of the member that serves a partition, n if none does."""
    owner = partitions.owners[p]
    if owner == UNOWNED or partitions.resumes[p] > now + SAME_INSTANT_S:
        return n
    return int(places[owner])
