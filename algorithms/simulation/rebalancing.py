"""Actions of a group: replicas start and stop, and a rebalance moves partitions."""

from __future__ import annotations

import numpy as np

from algorithms.core import keyed_draws
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inner, kernel
from algorithms.simulation import answers, commits, heartbeats, placing, service_rates, starting
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
    FINISHING,
    INCREMENTAL,
    JOINED,
    LATER,
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
    SECOND,
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

_HEARTBEAT = 2
"""Kind of random numbers, for `keyed_draws.key`."""


@inner
def own_first(state: State) -> None:
    """Let the members own from time 0 on what the assignor gives them; nothing moves."""
    partitions = state.partitions
    for p in range(partitions.owners.shape[0]):
        partitions.owners[p] = state.plan.target[p]
        partitions.last_owners[p] = state.plan.target[p]
    _group(state)


@inner
def settle_due(rules: Rules, rates: Floats, state: State) -> None:
    """Carry out all group events that are due, and begin what waited for them."""
    # Each kernel is compiled again within all that call it, so the largest have one caller each.
    while state.clock[DUE] <= state.clock[NOW] + SAME_INSTANT_S:
        phase = state.counters[PHASE]
        if phase == STARTING:
            if state.counters[LATER] > 0:
                starting.enter_ready(state)
            _join(rules, rates, state)
        elif phase in (JOINED, FINISHING):
            stopped = _finish_batches(rules, state) if phase == JOINED else _stop(rules, state)
            if stopped:
                _rebalance(rules, state)
        else:
            if state.clock[SECOND] <= state.clock[NOW] + SAME_INSTANT_S:
                if rules.protocol == INCREMENTAL:
                    heartbeats.hand_over(rules, state)
                else:
                    _begin_second_round(rules, state)
            _resume(state)
        if state.counters[PHASE] == SETTLED and state.counters[WAITING_KIND] != NO_ANSWER:
            begin_waiting(rules, state)


@inner
def begin_waiting(rules: Rules, state: State) -> None:
    """Begin the action that the waiting answer asks for, unless it changes nothing."""
    clock, counters = state.clock, state.counters
    count, kind = counters[WAITING], counters[WAITING_KIND]
    counters[WAITING_KIND] = NO_ANSWER
    if clock[NOW] >= rules.end_s - SAME_INSTANT_S:
        return
    if not answers.resolve(count, kind, rules, state):
        return
    _note(count, clock[NOW], counters, state.record.actions)
    counters[TARGET] = count
    counters[PAID] += counters[ENTERING]
    counters[PHASE] = STARTING
    clock[BEGUN] = clock[NOW]
    clock[DUE] = starting.begin(rules, state)


@inner
def _note(count: int, now: float, counters: Longs, actions: Floats) -> None:
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


@inner
def _join(rules: Rules, rates: Floats, state: State) -> None:
    """New members join, removed ones commit and stop, and their partitions wait."""
    counters, members, owners = state.counters, state.members, state.partitions.owners
    n, before = counters[TARGET], counters[MEMBERS]
    for i in range(before):
        members.places[members.ids[i]] = UNOWNED
    for i in range(n):
        members.ids[i] = state.plan.after[i]
        members.places[members.ids[i]] = i
    for i in range(counters[ENTERING]):
        state.commits.due[state.plan.entering[i]] = state.clock[NOW] + rules.commit_s
        if rules.shuffled:
            placing.enrol(rules, state.plan.entering[i], state)
    heartbeats.enrol(rules, state)
    for p in range(owners.shape[0]):
        if owners[p] != UNOWNED and members.places[owners[p]] == UNOWNED:
            commits.commit_removed(p, rules, rates, state)
            owners[p] = UNOWNED
    removed = before + counters[ENTERING] > n
    counters[MEMBERS] = n
    counters[PAID] = n + counters[LATER]
    counters[PHASE] = JOINED
    late_s = rules.noticed_s if removed else 0.0
    assigned_s = rules.first_assigned_s if before == 0 else rules.assigned_s
    state.clock[DUE] = state.clock[NOW] + assigned_s + late_s
    if heartbeats.are_used(rules) and (before > 0 or rules.protocol == INCREMENTAL):
        state.clock[DUE] = heartbeats.begins(rules, state.clock[NOW] + late_s, state)
    service_rates.set_speeds(rules, counters, members)
    _group(state)


@inner
def _finish_batches(rules: Rules, state: State) -> bool:
    """Let members serve their batches; return whether all have, as where there are none."""
    counters = state.counters
    if rules.protocol == INCREMENTAL:
        return True
    if heartbeats.are_used(rules):
        heartbeats.tell_first(rules, state)
        counters[PHASE] = FINISHING
        return _stop(rules, state)
    if _longest_batch(rules, state) <= SAME_INSTANT_S:
        return True
    counters[PHASE] = FINISHING
    if rules.protocol == EAGER:
        return _stop(rules, state)
    for m in range(counters[MEMBERS]):
        state.clock[DUE] = max(state.clock[DUE], state.members.stops[m])
    return False


@inner
def _longest_batch(rules: Rules, state: State) -> float:
    """Longest time that a member needs for its batch; sets when each of them is done."""
    longest = 0.0
    for m in range(state.counters[MEMBERS]):
        batch_s = _batch_s(m, rules, state)
        state.members.stops[m] = state.clock[NOW] + batch_s
        longest = max(longest, batch_s)
    return longest


@inner
def _batch_s(m: int, rules: Rules, state: State) -> float:
    """Time that a member needs for its batch."""
    members, lag = state.members, 0.0
    for i in range(members.starts[m], members.starts[m + 1]):
        lag += state.partitions.lags[members.served[i]]
    return float(min(lag, rules.max_poll_records) / rules.mu)


@inner
def _next_joining(rules: Rules, state: State) -> float:
    """When the next member learns of the round or has served its batch; infinite if all have.

    Members whose heartbeats are due learn of it: their batches end as they join.
    """
    members, learns, now = state.members, state.heartbeats.learns, state.clock[NOW]
    due = np.inf
    for m in range(state.counters[MEMBERS]):
        if members.stops[m] == np.inf:
            if learns[m] > now + SAME_INSTANT_S:
                due = min(due, learns[m])
                continue
            members.stops[m] = now + _batch_s(m, rules, state)
        if members.stops[m] > now + SAME_INSTANT_S:
            due = min(due, members.stops[m])
    return float(due)


@inner
def _stop(rules: Rules, state: State) -> bool:
    """Members that have served their batches commit and stop; return whether all have."""
    clock, members, partitions = state.clock, state.members, state.partitions
    clock[DUE] = _next_joining(rules, state)
    if clock[DUE] == np.inf:
        return True
    if rules.protocol != EAGER:
        return False
    for p in range(partitions.owners.shape[0]):
        owner = partitions.owners[p]
        if owner == UNOWNED or partitions.resumes[p] == np.inf:
            continue
        if members.stops[members.places[owner]] <= clock[NOW] + SAME_INSTANT_S:
            commits.commit(p, rules, state)
            partitions.resumes[p] = np.inf
    _group(state)
    return False


@inner
def _rebalance(rules: Rules, state: State) -> None:
    """Give partitions to their new owners; those that moved, or all, are not consumed for now."""
    counters, partitions = state.counters, state.partitions
    now = state.clock[NOW]
    if rules.protocol != INCREMENTAL:
        commits.commit_owned(rules, state)
        commits.restart(rules, now + rules.rebalance_s, state)
        heartbeats.restart(rules, now + rules.rebalance_s, state)
    if counters[TARGET_KIND] == COUNT:
        placing.assign(rules, state)
    state.clock[SECOND] = np.inf
    by_heartbeats = heartbeats.are_used(rules)
    if by_heartbeats and rules.protocol == COOPERATIVE:
        heartbeats.tell(rules, now + rules.rebalance_s, rules.next_heartbeat_s, state)
    moved = 0
    for p in range(partitions.owners.shape[0]):
        owner, last = state.plan.target[p], partitions.last_owners[p]
        moves = owner not in (UNOWNED, last)
        moved += moves
        if moves and by_heartbeats and rules.protocol == INCREMENTAL:
            state.heartbeats.gives[p] = heartbeats.gives_up(rules, partitions.owners[p], state)
            continue
        if rules.protocol == INCREMENTAL and partitions.owners[p] not in (UNOWNED, owner):
            commits.commit(p, rules, state)
        partitions.owners[p] = owner
        partitions.resumes[p] = now + _pause(rules, moves, owner, last, state)
        if owner != UNOWNED:
            partitions.last_owners[p] = owner
            partitions.resumes[p] += state.commits.again[p] / rules.mu
            state.commits.again[p] = 0.0
    if now < rules.end_s - SAME_INSTANT_S:
        counters[MOVED] += moved
        state.record.actions[counters[ACTIONS] - 1, PARTITIONS_MOVED] += moved
    counters[PHASE] = RESUMING
    if by_heartbeats and rules.protocol == INCREMENTAL:
        heartbeats.hand_over(rules, state)
    _resume(state)


@inner
def _pause(rules: Rules, moves: bool, owner: int, last: int, state: State) -> float:
    """Time without consumption from a rebalance on; infinite before a second round has begun."""
    if not moves:
        if rules.protocol == COOPERATIVE:
            return rules.kept_pause_s
        return rules.rebalance_s if rules.protocol == EAGER else 0.0
    round_s, pause_s = rules.rebalance_s, rules.move_pause_s
    if rules.protocol == INCREMENTAL and rules.next_heartbeat_s > 0.0:
        cell = keyed_draws.key(rules.history_seed, _HEARTBEAT, state.counters[ACTIONS], owner)
        return round_s + pause_s + keyed_draws.unit(cell) * rules.next_heartbeat_s
    places = state.members.places
    revoked = rules.protocol == COOPERATIVE and last != UNOWNED and places[last] != UNOWNED
    if not revoked:
        return round_s + pause_s
    if heartbeats.are_used(rules):
        # It joins the second round at once.
        state.clock[SECOND] = state.clock[NOW] + round_s
        state.heartbeats.learns[places[last]] = state.clock[SECOND]
        return float(np.inf)
    if rules.max_poll_records == 0.0 and rules.commit_s == 0.0 and rules.kept_pause_s == 0.0:
        return 2.0 * round_s + rules.next_heartbeat_s + pause_s
    state.clock[SECOND] = state.clock[NOW] + round_s + rules.next_heartbeat_s
    return float(np.inf)


@inner
def _begin_second_round(rules: Rules, state: State) -> None:
    """Others have learned of the second round: revoked partitions wait for its batches and end.

    Where they learn at their own heartbeats, this waits until all have, and have joined.
    """
    partitions, now = state.partitions, state.clock[NOW]
    state.clock[SECOND] = np.inf
    # Partitions that are consumed from this instant on belong to its batches.
    _group(state)
    if heartbeats.are_used(rules):
        state.clock[SECOND] = _next_joining(rules, state)
        if state.clock[SECOND] < np.inf:
            return
        end = now + rules.rebalance_s
    else:
        end = now + _longest_batch(rules, state) + rules.rebalance_s
    heartbeats.restart(rules, end, state)
    commits.commit_owned(rules, state)
    commits.restart(rules, end, state)
    for p in range(partitions.resumes.shape[0]):
        if partitions.resumes[p] == np.inf:
            partitions.resumes[p] = end + rules.move_pause_s
        elif rules.kept_pause_s > 0.0:
            partitions.resumes[p] = max(partitions.resumes[p], now + rules.kept_pause_s)


@inner
def _resume(state: State) -> None:
    """Let members consume what no longer waits; settled if nothing does and all have joined."""
    clock, counters = state.clock, state.counters
    clock[DUE] = clock[SECOND]
    for at in state.partitions.resumes:
        if at > clock[NOW] + SAME_INSTANT_S:
            clock[DUE] = min(clock[DUE], at)
    if clock[DUE] == np.inf and counters[LATER] > 0:
        counters[PHASE] = STARTING
        clock[DUE] = max(starting.next_ready(state), clock[NOW])
    elif clock[DUE] == np.inf:
        counters[PHASE] = SETTLED
        state.record.actions[counters[ACTIONS] - 1, SETTLED_AT] = clock[NOW]
    _group(state)


@inner
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
        members.ranked[starts[m]] = p
        starts[m] += 1
    for m in range(n + 1, 0, -1):
        starts[m] = starts[m - 1]
    starts[0] = 0


@inner
def _server(p: int, n: int, now: float, partitions: Partitions, places: Longs) -> int:
    """Position of the member that serves a partition, n if none does."""
    owner = partitions.owners[p]
    if owner == UNOWNED or partitions.resumes[p] > now + SAME_INSTANT_S:
        return n
    return int(places[owner])
