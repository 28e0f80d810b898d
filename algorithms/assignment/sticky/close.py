"""Close consumers, lightest first, where that saves more than it costs."""

from __future__ import annotations

from algorithms.assignment.sticky import free_capacity, ledger, place, risk
from algorithms.assignment.sticky.free_capacity import COUNT, FIRST, NEXT
from algorithms.assignment.sticky.ledger import LOG, NOWHERE, OPEN
from algorithms.assignment.sticky.risk import PRICE
from algorithms.assignment.sticky.state import State
from algorithms.core.arrays import Ints
from algorithms.core.compiled import inlined, kernel

FAILURES = 6
MEMBERS = 24


@kernel
def lightest(state: State, members: Ints) -> None:
    """Close consumers, lightest first, while that pays off; stop after `FAILURES` failures."""
    links, loads, marks = state.links, state.loads, state.marks
    free = state.capacity * marks[OPEN]
    for c in range(loads.shape[0]):
        free -= min(loads[c], state.capacity)
    failures = 0
    bucket = free_capacity.last_bucket(state, links.shape[1] - 1)
    while bucket != NOWHERE and failures < FAILURES and free >= state.capacity:
        c = free_capacity.first_in(state, bucket)
        closed = False
        while c != NOWHERE and failures < FAILURES and not closed:
            behind = free_capacity.behind(state, c)
            closed = _close(state, members, c)
            if closed:
                free -= state.capacity
            else:
                failures += 1
            c = behind
        if not closed:
            bucket -= 1
        bucket = free_capacity.last_bucket(state, bucket)


@inlined
def _close(state: State, members: Ints, c: int) -> bool:
    """Try to place all members elsewhere for less than the consumer costs."""
    speeds, home = state.speeds, state.home
    if state.links[COUNT, c] > MEMBERS:
        return False
    saved = state.terms[PRICE] + risk.of(state, c, -1, -1)
    n = _collect(state, c, members)
    # Fares that are already paid are refunded; a member at home has to pay one.
    cost, bound = 0.0, 0.0
    for i in range(n):
        paid = place.fare(state, members[i], c)
        cost -= paid
        bound += speeds[members[i]] if home[members[i]] == c else -paid
    if bound >= saved:
        return False
    state.marks[LOG] = 0
    for i in range(n):
        place.put(state, members[i], NOWHERE)
    for i in range(n):
        cost += place.place(state, members[i], False)
        if cost >= saved:
            place.undo(state, 0)
            return False
    return True


@kernel
def _collect(state: State, c: int, members: Ints) -> int:
    """List the members of a consumer, largest first, ties by index; return their number."""
    links = state.links
    n, j = 0, links[FIRST, c]
    while j != NOWHERE:
        i = n
        while i > 0 and ledger.smaller(state, members[i - 1], j):
            members[i] = members[i - 1]
            i -= 1
        members[i] = j
        n += 1
        j = links[NEXT, j]
    return n
