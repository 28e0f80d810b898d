"""Commits of a group: strategies see the lag of the last one, and what has arrived since.

Each member commits what it serves at its own times; at one instant, commits come first. What is
committed does not depend on how time is cut, and service does not depend on commits.
"""

from __future__ import annotations

import numpy as np

from algorithms.core import keyed_draws
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inner, inner_inlined
from algorithms.simulation.fair_service import Shift
from algorithms.simulation.first_in_first_out import EVENTS, TIME
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import (
    ARRIVED,
    MEMBERS,
    NOW,
    REPROCESSED,
    SAME_INSTANT_S,
    STEP,
    UNOWNED,
    Commits,
    State,
)

_PHASE = 3
"""Kind of random numbers, for `keyed_draws.key`."""


@inner
def start(rules: Rules, state: State) -> None:
    """Draw when each of the first members commits for the first time."""
    members = state.members
    for m in range(state.counters[MEMBERS]):
        cell = keyed_draws.key(rules.history_seed, _PHASE, 0, members.ids[m])
        state.commits.due[members.ids[m]] = keyed_draws.unit(cell) * rules.commit_s


@inner
def restart(rules: Rules, at: float, state: State) -> None:
    """Let the clocks of all members begin at a time."""
    for m in range(state.counters[MEMBERS]):
        state.commits.due[state.members.ids[m]] = at + rules.commit_s


@inner
def commit(p: int, rules: Rules, state: State) -> None:
    """Commit a partition as a group event happens, if commits are simulated and its owner runs."""
    partitions, commits, counters = state.partitions, state.commits, state.counters
    owner = partitions.owners[p]
    if rules.commit_s == 0.0 or (owner != UNOWNED and state.incidents.down[owner]):
        return
    commits.at[p] = state.clock[NOW]
    commits.bursts[p] = counters[STEP] + counters[ARRIVED]
    commits.lags[p] = partitions.lags[p]
    commits.advanced[p] = commits.advanced[p] or partitions.consumed[p]
    partitions.consumed[p] = False


@inner
def commit_removed(p: int, rules: Rules, rates: Floats, state: State) -> None:
    """Commit a partition of a member that is removed, without the work that it has in flight.

    Of what it served since the last commit, that is the part of the last `in_flight_s`.
    """
    if state.incidents.down[state.partitions.owners[p]]:
        return
    since_s = state.clock[NOW] - state.commits.at[p]
    if rules.in_flight_s == 0.0 or since_s <= SAME_INSTANT_S:
        commit(p, rules, state)
        return
    served = observed(p, rules, rates, state) - state.partitions.lags[p]
    lost = max(served, 0.0) * min(rules.in_flight_s / since_s, 1.0)
    if rules.in_flight_s < since_s:
        consumed = state.partitions.consumed[p]
        commit(p, rules, state)
        state.commits.lags[p] += lost
        # The next commit advances by the work that is done again.
        state.partitions.consumed[p] = consumed
    state.commits.again[p] = lost
    if state.clock[NOW] < rules.end_s - SAME_INSTANT_S:
        state.figures[REPROCESSED] += lost


@inner
def commit_owned(rules: Rules, state: State) -> None:
    """Commit all partitions that members own."""
    for p in range(state.partitions.owners.shape[0]):
        if state.partitions.owners[p] != UNOWNED:
            commit(p, rules, state)


@inner_inlined
def is_due(rules: Rules, id_: int, until: float, commits: Commits) -> bool:
    """Whether a member commits up to a time."""
    return bool(rules.commit_s > 0.0 and commits.due[id_] <= until + SAME_INSTANT_S)


@inner
def keep_lags(held: Longs, lags: Floats, before: Floats) -> None:
    """Keep the lags of partitions from before they are served."""
    for p in held:
        before[p] = lags[p]


@inner
def commit_within(rules: Rules, id_: int, shift: Shift, commits: Commits) -> None:
    """Make the commits of a member in an interval in which it has just served its partitions."""
    span = shift.span
    due = _skip(rules, commits.due[id_], span.start)
    idle = shift.level.last[0] == 0
    if idle:
        # Without lag, the last commit of the interval says all.
        last = np.floor((span.end + SAME_INSTANT_S - due) / rules.commit_s)
        due += max(last, 0.0) * rules.commit_s
    while due <= span.end + SAME_INSTANT_S:
        lag = _commit_at(min(due, span.end), shift, commits)
        due += max(rules.commit_s, min(lag, rules.max_poll_records) / rules.mu)
    commits.due[id_] = due


@inner
def _skip(rules: Rules, due: float, start: float) -> float:
    """The first commit after a time before which the member served nothing."""
    late = start + SAME_INSTANT_S - due
    if late < 0.0:
        return due
    return float(due + (np.floor(late / rules.commit_s) + 1.0) * rules.commit_s)


@inner
def _commit_at(at: float, shift: Shift, commits: Commits) -> float:
    """Commit the partitions of a member at a time of the interval; return their total lag."""
    span, partitions, arriving = shift.span, shift.partitions, shift.arriving
    time = at - span.start
    served, gone = _level(time, shift.level.last[0], shift.level.corners)
    goes_on = shift.speed > 0.0 and at < span.end - SAME_INSTANT_S
    total = 0.0
    for p in shift.held:
        lag = 0.0 if gone else max(commits.before[p] + arriving[p] * time - served, 0.0)
        commits.at[p] = at
        commits.bursts[p] = span.step + 1
        commits.lags[p] = lag
        commits.advanced[p] = commits.advanced[p] or partitions.consumed[p]
        partitions.consumed[p] = goes_on and (arriving[p] > 0.0 or lag > 0.0)
        total += lag
    return total


@inner
def _level(time: float, last: int, corners: Floats) -> tuple[float, bool]:
    """Events served per partition with lag until a time, and whether no lag was left by then."""
    if time > corners[last, TIME] + SAME_INSTANT_S:
        return 0.0, True
    i = 1
    while i < last and corners[i, TIME] < time:
        i += 1
    if last == 0:
        return 0.0, False
    length = corners[i, TIME] - corners[i - 1, TIME]
    share = min((time - corners[i - 1, TIME]) / length, 1.0) if length > 0.0 else 1.0
    return corners[i - 1, EVENTS] + share * (corners[i, EVENTS] - corners[i - 1, EVENTS]), False


@inner
def observed(p: int, rules: Rules, rates: Floats, state: State) -> float:
    """Lag of a partition as of its last commit, and what has arrived since."""
    commits, counters, now = state.commits, state.counters, state.clock[NOW]
    lag = commits.lags[p]
    if rules.burst:
        arrived = min(counters[STEP] + counters[ARRIVED], rules.steps)
        for k in range(commits.bursts[p], arrived):
            lag += rates[k, p] * rules.step_s
        return float(lag)
    since = commits.at[p]
    for k in range(int(since / rules.step_s), min(counters[STEP] + 1, rules.steps)):
        begun = max(since, k * rules.step_s)
        lag += rates[k, p] * max(min(now, (k + 1) * rules.step_s) - begun, 0.0)
    return float(lag)
