"""Actions of a group: replicas start, join and leave, and a rebalance follows."""

from __future__ import annotations

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inner
from algorithms.simulation import (
    answers,
    commits,
    heartbeats,
    incident_steps,
    partition_moves,
    placing,
    service_rates,
    starting,
)
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import (
    ACTIONS,
    AFTER,
    BEFORE,
    BEGUN,
    BEGUN_AT,
    DOWN,
    DUE,
    ENTERING,
    FINISHING,
    HELD,
    INCREMENTAL,
    JOINED,
    LATER,
    MEMBERS,
    NO_ANSWER,
    NOW,
    PAID,
    PARTITIONS_MOVED,
    PHASE,
    REASSIGNED,
    SAME_INSTANT_S,
    SECOND,
    SETTLED,
    STARTING,
    TARGET,
    UNOWNED,
    UP,
    WAITING,
    WAITING_KIND,
    State,
)
from algorithms.simulation.incident_state import UNKNOWN


@inner
def settle_due(rules: Rules, rates: Floats, state: State) -> None:
    """Carry out all group events that are due, and begin what waited for them."""
    # Each kernel is compiled again within all that call it, so the largest have one caller each.
    while state.clock[DUE] <= state.clock[NOW] + SAME_INSTANT_S:
        phase = state.counters[PHASE]
        if phase in (STARTING, HELD):
            if _has_to_join(phase, rules, state):
                _join(rules, rates, state)
            else:
                service_rates.set_speeds(rules, state)
                partition_moves.group(state)
        elif phase in (JOINED, FINISHING):
            stopped = (
                partition_moves.finish_batches(rules, state)
                if phase == JOINED
                else partition_moves.stop(rules, state)
            )
            if stopped:
                partition_moves.rebalance(rules, state)
        else:
            if state.clock[SECOND] <= state.clock[NOW] + SAME_INSTANT_S:
                if rules.protocol == INCREMENTAL:
                    partition_moves.hand_over(rules, state)
                else:
                    partition_moves.begin_second_round(rules, state)
            partition_moves.resume(state)
        if state.counters[PHASE] == SETTLED:
            incident_steps.hold(rules, state)
        if state.counters[PHASE] == SETTLED and state.counters[WAITING_KIND] != NO_ANSWER:
            begin_waiting(rules, state)


@inner
def _has_to_join(phase: int, rules: Rules, state: State) -> bool:
    """Plan who joins and leaves; return whether any member does."""
    if phase == HELD:
        return incident_steps.begin(rules, state)
    if state.counters[LATER] > 0:
        starting.enter_ready(state)
    return True


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
        state.incidents.joined[state.plan.entering[i]] = state.clock[NOW]
        if rules.shuffled:
            placing.enrol(rules, state.plan.entering[i], state)
    heartbeats.enrol(rules, state)
    for p in range(owners.shape[0]):
        if owners[p] != UNOWNED and members.places[owners[p]] == UNOWNED:
            commits.commit_removed(p, rules, rates, state)
            owners[p] = UNOWNED
    # Members that crashed have been missed already.
    removed = before + counters[ENTERING] > n and state.incidents.counts[UNKNOWN] == 0
    counters[MEMBERS] = n
    counters[PAID] = n + counters[LATER]
    counters[PHASE] = JOINED
    late_s = rules.noticed_s if removed else 0.0
    assigned_s = rules.first_assigned_s if before == 0 else rules.assigned_s
    state.clock[DUE] = state.clock[NOW] + assigned_s + late_s
    if heartbeats.are_used(rules) and (before > 0 or rules.protocol == INCREMENTAL):
        state.clock[DUE] = heartbeats.begins(rules, state.clock[NOW] + late_s, state)
    service_rates.set_speeds(rules, state)
    partition_moves.group(state)
