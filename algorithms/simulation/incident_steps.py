"""What a group does about incidents: it replaces members that crashed, and all in a restart.

Both are actions of the group, which begin when it has settled; answers of strategies wait for them.
"""

from __future__ import annotations

import numpy as np

from algorithms.core.compiled import inner
from algorithms.simulation import commits, starting
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import (
    ACTIONS,
    AFTER,
    BEFORE,
    BEGUN_AT,
    COUNT,
    DUE,
    ENTERING,
    HELD,
    MEMBERS,
    NOW,
    PAID,
    PARTITIONS_MOVED,
    PHASE,
    RESUMING,
    SAME_INSTANT_S,
    SETTLED,
    STARTING,
    TARGET,
    TARGET_KIND,
    UNOWNED,
    State,
)
from algorithms.simulation.incident_state import (
    ENDS,
    MOVES,
    NEXT_ROW,
    NONE,
    OUTAGES,
    PAUSE,
    PROGRESS,
    READY,
    REPLACED,
    RETURNS,
    SIZE,
    SURGE,
    UNAVAILABLE,
    UNKNOWN,
    WAITS,
)

_UNKNOWN_SIZE = -1


@inner
def hold(rules: Rules, state: State) -> None:
    """Let answers wait if a settled group has lost a member or is to be restarted."""
    if rules.incidents.shape[0] == 0:
        return
    clock, incidents = state.clock, state.incidents
    counts = incidents.counts
    counts[UNKNOWN] = 0
    if counts[PROGRESS] == MOVES:
        counts[PROGRESS] = WAITS
        later = clock[NOW] + incidents.numbers[PAUSE]
        incidents.numbers[READY] = max(later, incidents.numbers[ENDS])
    if clock[NOW] >= rules.end_s - SAME_INSTANT_S and counts[PROGRESS] == WAITS:
        counts[PROGRESS] = NONE
    due = np.inf
    for id_ in range(incidents.down.shape[0]):
        if incidents.down[id_] and state.members.places[id_] == UNOWNED:
            incidents.down[id_] = False
        if incidents.down[id_]:
            due = min(due, incidents.missed[id_])
    # A restart goes on once members that crashed are replaced.
    if counts[PROGRESS] == RETURNS or (counts[PROGRESS] == WAITS and due == np.inf):
        due = min(due, incidents.numbers[READY])
    if due == np.inf and counts[OUTAGES] == 0:
        for row in range(counts[NEXT_ROW]):
            incidents.over[row] = min(incidents.over[row], clock[NOW])
    state.counters[PHASE] = SETTLED if due == np.inf else HELD
    clock[DUE] = max(due, clock[NOW])


@inner
def begin(rules: Rules, state: State) -> bool:
    """Begin what is due; return whether members leave for it.

    Members that crashed come first. The phase after it says what follows.
    """
    now, incidents = state.clock[NOW] + SAME_INSTANT_S, state.incidents
    missing = 0
    for id_ in range(incidents.down.shape[0]):
        missing += incidents.down[id_] and incidents.missed[id_] <= now
    if missing > 0:
        _replace_missing(missing, rules, state)
        return True
    if incidents.numbers[READY] > now:
        hold(rules, state)
        return False
    if incidents.counts[PROGRESS] == RETURNS:
        _come_back(rules, state)
        return False
    return _go_on(rules, state)


@inner
def _replace_missing(missing: int, rules: Rules, state: State) -> None:
    """The group removes members that crashed, and new ones start."""
    members, incidents = state.members, state.incidents
    kept = 0
    for m in range(state.counters[MEMBERS]):
        id_ = members.ids[m]
        if not incidents.down[id_] or incidents.missed[id_] > state.clock[NOW] + SAME_INSTANT_S:
            state.plan.after[kept] = id_
            kept += 1
    incidents.counts[UNKNOWN] = 1
    _remove(kept, missing, rules, state)


@inner
def _remove(kept: int, starts: int, rules: Rules, state: State) -> None:
    """An action in which the planned members stay, and new ones join as they are ready."""
    counters = state.counters
    _note(kept + starts, state)
    starting.begin_later(rules, starts, state)
    counters[ENTERING] = 0
    counters[TARGET] = kept
    counters[TARGET_KIND] = COUNT


@inner
def _note(after: int, state: State) -> None:
    """Record an action and the members after it; counts of actions are those of strategies."""
    counters = state.counters
    row = state.record.actions[counters[ACTIONS]]
    row[BEGUN_AT] = state.clock[NOW]
    row[BEFORE] = counters[MEMBERS]
    row[AFTER] = after
    row[PARTITIONS_MOVED] = 0.0
    counters[ACTIONS] += 1


@inner
def _go_on(rules: Rules, state: State) -> bool:
    """Begin the next step of a restart; return whether members leave."""
    counters, incidents = state.counters, state.incidents
    n = counters[MEMBERS]
    if incidents.counts[SIZE] == _UNKNOWN_SIZE:
        incidents.counts[SIZE] = n
        for m in range(_resolved(incidents.numbers[REPLACED], n, True)):
            incidents.old[state.members.ids[m]] = True
    size, old = incidents.counts[SIZE], 0
    for m in range(n):
        old += incidents.old[state.members.ids[m]]
    surge = _resolved(incidents.numbers[SURGE], size, True)
    if incidents.numbers[UNAVAILABLE] == np.inf:
        surge, unavailable = 0, surge
    else:
        unavailable = _resolved(incidents.numbers[UNAVAILABLE], size, False)
        if surge == 0 or rules.noticed_s > 0.0:
            surge, unavailable = 0, max(unavailable, 1)
    leaving = min(old, max(n - (size - unavailable), 0))
    if leaving > 0 and rules.noticed_s > 0.0 and _go_away(leaving, rules, state):
        return False
    starts = max(min(size - (n - old), size + surge - (n - leaving)), 0)
    if leaving + starts == 0:
        incidents.counts[PROGRESS] = NONE
        incidents.old[:] = False
        hold(rules, state)
        return False
    incidents.counts[PROGRESS] = MOVES
    kept = _keep(leaving, state)
    _remove(kept, starts, rules, state)
    if leaving == 0:
        counters[PAID] += starts
        counters[PHASE] = STARTING
        state.clock[DUE] = starting.next_ready(state)
    return bool(leaving > 0)


@inner
def starts_late(rules: Rules, notice_s: float) -> bool:
    """Whether replicas may not have started when a notice is over, or must leave before."""
    longest_s = rules.startup_s
    for piece in range(rules.startups.shape[0]):
        longest_s = max(longest_s, rules.startups[piece, 1])
    return rules.noticed_s > 0.0 or longest_s > notice_s + SAME_INSTANT_S


@inner
def _resolved(number: float, size: int, up: bool) -> int:
    """Replicas that a limit of a restart allows; negative numbers are shares."""
    if number >= 0.0:
        return int(number)
    # In hundredths, as shares are declared: a product of floats could round past an integer.
    hundredths = int(np.floor(-number * 100.0 + 0.5)) * size
    return (hundredths + 99) // 100 if up else hundredths // 100


@inner
def _keep(leaving: int, state: State) -> int:
    """List the members that stay if the lowest old ids leave; return how many do."""
    kept, left = 0, leaving
    for m in range(state.counters[MEMBERS]):
        id_ = state.members.ids[m]
        if left > 0 and state.incidents.old[id_]:
            state.incidents.old[id_] = False
            left -= 1
        else:
            state.plan.after[kept] = id_
            kept += 1
    return kept


@inner
def _go_away(leaving: int, rules: Rules, state: State) -> bool:
    """Static members stop and come back before the group misses them, unless that is too late."""
    members, incidents, owners = state.members, state.incidents, state.partitions.owners
    longest_s, left = 0.0, leaving
    for m in range(state.counters[MEMBERS]):
        if left > 0 and incidents.old[members.ids[m]]:
            longest_s = max(longest_s, starting.time_s(rules, members.ids[m], state))
            left -= 1
    if longest_s > rules.session_s:
        return False
    _note(state.counters[MEMBERS], state)
    left = leaving
    for m in range(state.counters[MEMBERS]):
        id_ = members.ids[m]
        if left > 0 and incidents.old[id_]:
            for p in range(owners.shape[0]):
                if owners[p] == id_:
                    commits.commit(p, rules, state)
            incidents.old[id_] = False
            incidents.down[id_] = True
            incidents.missed[id_] = np.inf
            left -= 1
    incidents.counts[PROGRESS] = RETURNS
    incidents.numbers[READY] = state.clock[NOW] + longest_s
    state.clock[DUE] = incidents.numbers[READY]
    return True


@inner
def _come_back(rules: Rules, state: State) -> None:
    """Static members serve their partitions again."""
    incidents = state.incidents
    for id_ in range(incidents.down.shape[0]):
        if incidents.down[id_] and incidents.missed[id_] == np.inf:
            incidents.down[id_] = False
            incidents.joined[id_] = state.clock[NOW]
            state.commits.due[id_] = state.clock[NOW] + rules.commit_s
    incidents.counts[PROGRESS] = MOVES
    state.counters[PHASE] = RESUMING
