"""Rates at which members serve: the same for all, or drawn per member and step."""

from __future__ import annotations

from algorithms.core import keyed_draws
from algorithms.core.arrays import Longs
from algorithms.core.compiled import inner
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import MEMBERS, STEP, Members

_SERVICE = 1
"""Kind of random numbers, for `keyed_draws.key`."""


@inner
def set_speeds(rules: Rules, counters: Longs, members: Members) -> None:
    """Each member's rate in this step: ``mu`` times a Gamma number, at most its shared limit."""
    for m in range(counters[MEMBERS]):
        members.speeds[m] = rules.mu
        if rules.shape > 0.0:
            cell = keyed_draws.key(rules.seed, _SERVICE, counters[STEP], members.ids[m])
            members.speeds[m] *= keyed_draws.gamma(cell, rules.shape) / rules.shape
        members.speeds[m] = min(members.speeds[m], rules.shared_limit / counters[MEMBERS])
