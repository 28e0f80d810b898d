"""Return migrated partitions home, even if that takes a chain of further moves."""

from __future__ import annotations

from algorithms.assignment.sticky import ledger, place, risk
from algorithms.assignment.sticky.free_capacity import COUNT, FIRST, NEXT, OWNER
from algorithms.assignment.sticky.ledger import LOG, NOWHERE
from algorithms.assignment.sticky.state import State
from algorithms.core.compiled import inlined, kernel

MEMBERS = 4
_LEAST = 1e-9


@kernel
def run(state: State) -> None:
    """Largest first: push a member out of the home, to a place that `place` finds for it."""
    speeds, home, order, links = state.speeds, state.home, state.order, state.links
    for j in order:
        if speeds[j] <= 0.0:
            break
        if ledger.migrated(state, j) and links[COUNT, home[j]] > 0:
            _recall(state, j)


@inlined
def _recall(state: State, j: int) -> bool:
    speeds, home, links, loads = state.speeds, state.home, state.links, state.loads
    h, b, speed, capacity = home[j], links[OWNER, j], speeds[j], state.capacity
    i, looked = links[FIRST, h], 0
    while i != NOWHERE and looked < MEMBERS:
        looked += 1
        after = links[NEXT, i]
        paid = place.fare(state, i, h)
        leaves = 0.0 if home[i] != h else speeds[i]
        fits = loads[h] - speeds[i] + speed <= capacity or links[COUNT, h] == 1
        if fits and speed + paid - leaves > _LEAST * capacity:
            state.marks[LOG] = 0
            before = risk.of(state, b, -1, -1)
            before += risk.of(state, h, -1, -1)
            place.put(state, i, NOWHERE)
            place.put(state, j, h)
            now = risk.of(state, b, -1, -1)
            now += risk.of(state, h, -1, -1)
            cost = place.place(state, i, False)
            if speed + paid + before - now - cost > _LEAST * capacity:
                return True
            place.undo(state, 0)
        i = after
    return False
