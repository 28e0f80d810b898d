"""Rates at which members serve: the same for all, or drawn per member and step."""

from __future__ import annotations

import numpy as np

from algorithms.core import keyed_draws
from algorithms.core.compiled import inner
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import HAPPENS, MEMBERS, NOW, SAME_INSTANT_S, STEP, State
from algorithms.simulation.incident_rows import AT
from algorithms.simulation.incident_state import LIMIT, NEXT_ROW

STAIRS = 10
"""Equal steps in which a new member gets as fast as others."""

_SERVICE = 1
"""Kind of random numbers, for `keyed_draws.key`."""


@inner
def set_speeds(rules: Rules, state: State) -> None:
    """Each member's rate in this step: ``mu`` times a Gamma number, at most its shared limit.

    Notes when an incident next changes something, such as the rate of a new member.
    """
    counters, members, incidents = state.counters, state.members, state.incidents
    for m in range(counters[MEMBERS]):
        members.speeds[m] = rules.mu
        if rules.shape > 0.0:
            cell = keyed_draws.key(rules.seed, _SERVICE, counters[STEP], members.ids[m])
            members.speeds[m] *= keyed_draws.gamma(cell, rules.shape) / rules.shape
    happens = _next_change(rules, state)
    if rules.rise_s > 0.0:
        happens = min(happens, _warm_up(rules, state))
    state.clock[HAPPENS] = happens
    running = 0
    for m in range(counters[MEMBERS]):
        running += not incidents.down[members.ids[m]]
    for m in range(counters[MEMBERS]):
        limit = incidents.numbers[LIMIT] / running if running > 0 else 0.0
        members.speeds[m] = min(members.speeds[m], limit)


@inner
def _next_change(rules: Rules, state: State) -> float:
    row = state.incidents.counts[NEXT_ROW]
    return rules.incidents[row, AT] if row < rules.incidents.shape[0] else np.inf


@inner
def _warm_up(rules: Rules, state: State) -> float:
    """Slow new members down; return when the rate of one rises next."""
    members, soonest, stair_s = state.members, np.inf, rules.rise_s / STAIRS
    for m in range(state.counters[MEMBERS]):
        joined = state.incidents.joined[members.ids[m]]
        age_s = state.clock[NOW] + SAME_INSTANT_S - joined
        if age_s >= rules.rise_s:
            continue
        stair = np.floor(age_s / stair_s)
        risen = (stair + 0.5) / STAIRS
        members.speeds[m] *= rules.first_share + (1.0 - rules.first_share) * risen
        soonest = min(soonest, joined + (stair + 1.0) * stair_s)
    return float(soonest)
