"""What incidents change at one instant."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.compiled import inner
from algorithms.simulation import (
    commits,
    incident_sights,
    incident_steps,
    partition_moves,
    service_rates,
)
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import (
    HELD,
    MEMBERS,
    NOW,
    PHASE,
    REPROCESSED,
    SAME_INSTANT_S,
    SETTLED,
    STEP,
    State,
)
from algorithms.simulation.incident_rows import (
    AT,
    BLINDED,
    CRASHED,
    FIFTH,
    FIRST,
    FOURTH,
    HALTED,
    KIND,
    LIMITED,
    SECOND,
    THIRD,
)
from algorithms.simulation.incident_state import (
    ENDS,
    LIMIT,
    NEXT_ROW,
    NONE,
    OUTAGES,
    OVERLAPS,
    PAUSE,
    PROGRESS,
    READY,
    REPLACED,
    SIZE,
    SURGE,
    UNAVAILABLE,
    WAITS,
)

_UNKNOWN_SIZE = -1


@inner
def happen(rules: Rules, rates: Floats, state: State) -> None:
    """Make all changes that are due."""
    counts, rows = state.incidents.counts, rules.incidents
    while counts[NEXT_ROW] < rows.shape[0]:
        row = rows[counts[NEXT_ROW]]
        if row[AT] > state.clock[NOW] + SAME_INSTANT_S:
            break
        counts[NEXT_ROW] += 1
        if row[KIND] == HALTED:
            counts[OUTAGES] += int(row[FIRST])
        elif row[KIND] == LIMITED:
            state.incidents.numbers[LIMIT] = row[FIRST]
        elif row[KIND] == CRASHED:
            _crash(rules, rates, state)
        elif row[KIND] == BLINDED:
            incident_sights.change(int(row[FIRST]), state)
        else:
            _begin_restart(rules, row, state)
    service_rates.set_speeds(rules, state)
    partition_moves.group(state)
    if state.counters[PHASE] in (SETTLED, HELD):
        incident_steps.hold(rules, state)


@inner
def _crash(rules: Rules, rates: Floats, state: State) -> None:
    """The member with the highest rate is gone; what it has not committed is served again."""
    members, partitions, incidents = state.members, state.partitions, state.incidents
    now, step = state.clock[NOW], state.counters[STEP]
    gone, greatest = -1, -1.0
    for m in range(state.counters[MEMBERS]):
        id_ = members.ids[m]
        rate = 0.0
        for p in range(partitions.owners.shape[0]):
            if partitions.owners[p] == id_:
                rate += rates[step, p]
        if rate > greatest and not incidents.down[id_]:
            gone, greatest = id_, rate
    if gone < 0:
        return
    for p in range(partitions.owners.shape[0]):
        if partitions.owners[p] == gone and rules.commit_s > 0.0:
            served = commits.observed(p, rules, rates, state) - partitions.lags[p]
            state.commits.again[p] = max(served, 0.0)
            state.figures[REPROCESSED] += max(served, 0.0)
    incidents.down[gone] = True
    incidents.missed[gone] = now + rules.session_s


@inner
def _begin_restart(rules: Rules, row: Floats, state: State) -> None:
    """Begin a restart, unless one is under way: the run then says so."""
    incidents, now = state.incidents, state.clock[NOW]
    if incidents.counts[PROGRESS] != NONE:
        incidents.numbers[OVERLAPS] = min(incidents.numbers[OVERLAPS], now)
        return
    incidents.counts[PROGRESS] = WAITS
    incidents.counts[SIZE] = _UNKNOWN_SIZE
    incidents.numbers[READY] = now
    incidents.numbers[SURGE] = row[FIRST]
    incidents.numbers[UNAVAILABLE] = row[SECOND]
    incidents.numbers[PAUSE] = row[THIRD]
    incidents.numbers[REPLACED] = row[FOURTH]
    incidents.numbers[ENDS] = row[FIFTH]
    if row[FIFTH] >= 0.0 and incident_steps.starts_late(rules, row[FIFTH] - now):
        incidents.numbers[UNAVAILABLE] = np.inf
        incidents.numbers[READY] = row[FIFTH]
    incidents.old[:] = False
