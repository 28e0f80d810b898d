"""Return migrated partitions home where room can be made for them."""

from __future__ import annotations

from algorithms.assignment.sticky import free_capacity, ledger, risk
from algorithms.assignment.sticky.free_capacity import COUNT, FIRST, NEXT, OWNER
from algorithms.assignment.sticky.ledger import NOWHERE
from algorithms.assignment.sticky.place import fare
from algorithms.assignment.sticky.risk import SPREAD
from algorithms.assignment.sticky.state import State
from algorithms.core.compiled import inlined, kernel

PASSES = 4
MEMBERS = 24
_PAIRED = 6
_LEAST = 1e-9


@kernel
def run(state: State, passes: int) -> None:
    """Return partitions home, largest first, in at most `passes` passes."""
    speeds, home, order, links = state.speeds, state.home, state.order, state.links
    for _ in range(passes):
        done = False
        for j in order:
            if speeds[j] <= 0.0:
                break
            if ledger.migrated(state, j) and links[COUNT, home[j]] > 0:
                done |= _send_home(state, j)
        if not done:
            break


@inlined
def _send_home(state: State, j: int) -> bool:
    """Make the change that saves most for one migrated partition; return whether one was made."""
    speeds, home, links, loads = state.speeds, state.home, state.links, state.loads
    h, b, speed, capacity = home[j], links[OWNER, j], speeds[j], state.capacity
    least = _LEAST * capacity
    left = risk.of(state, b, -1, -1)
    at_home = risk.of(state, h, -1, -1)
    if loads[h] + speed <= capacity:
        worse = risk.of(state, b, j, -1) + risk.of(state, h, -1, j) - left - at_home
        if speed - worse > least:
            ledger.move(state, j, h)
            return True
        return False
    emptied = risk.of(state, b, j, -1) - left
    x, d, saved = NOWHERE, NOWHERE, least
    i, looked = links[FIRST, h], 0
    while i != NOWHERE and looked < MEMBERS:
        looked += 1
        small = speeds[i]
        paid = fare(state, i, h)
        fits = loads[h] - small + speed <= capacity or links[COUNT, h] == 1
        if fits and speed + paid - (small if home[i] == h else 0.0) > saved:
            inside = risk.of(state, h, i, j) - at_home
            if loads[b] - speed + small <= capacity or links[COUNT, b] == 1:
                gain = speed + paid - fare(state, i, b) - inside
                gain -= risk.of(state, b, j, i) - left
                if gain > saved:
                    x, d, saved = i, b, gain
            to, cost = _push_to(state, i, h, b)
            gain = speed + paid - inside - emptied - cost
            if to != NOWHERE and gain > saved:
                x, d, saved = i, to, gain
        i = links[NEXT, i]
    if x == NOWHERE:
        return _push_two(state, j)
    ledger.detach(state, j)
    ledger.move(state, x, d)
    ledger.attach(state, j, h)
    return True


@inlined
def _push_to(state: State, i: int, h: int, b: int) -> tuple[int, float]:
    """Consumer for a partition that is pushed out, neither `h` nor `b`, and the cost."""
    speeds, home = state.speeds, state.home
    best, cost = NOWHERE, 0.0
    own = home[i]
    if own != NOWHERE and own != h and own != b and ledger.holds(state, own, speeds[i]):
        return int(own), risk.rise(state, own, i)
    for step in range(2):
        reserve = (1 - step) * state.terms[SPREAD]
        d = free_capacity.best_fit(state, speeds[i], reserve, h, b)
        if d != NOWHERE:
            best = d
            cost = fare(state, i, d) + risk.rise(state, d, i)
            break
    return int(best), cost


@inlined
def _push_two(state: State, j: int) -> bool:
    """Push two small partitions out of the home of a larger one."""
    speeds, home, links, loads = state.speeds, state.home, state.links, state.loads
    h, b, speed, capacity = home[j], links[OWNER, j], speeds[j], state.capacity
    if links[COUNT, h] < 2:
        return False
    x, y = _lightest_pair(state, h, loads[h] + speed - capacity, speed)
    if x == NOWHERE:
        return False
    before = (
        risk.of(state, b, -1, -1)
        + risk.of(state, h, -1, -1)
        + speed
        + fare(state, x, h)
        + fare(state, y, h)
    )
    ledger.detach(state, j)
    ledger.detach(state, x)
    ledger.detach(state, y)
    ledger.attach(state, j, h)
    after = risk.of(state, h, -1, -1) if loads[h] <= capacity else before
    after += risk.of(state, b, -1, -1)
    first, cost = _push_to(state, x, h, NOWHERE)
    after += cost
    if first != NOWHERE and after < before:
        ledger.attach(state, x, first)
        second, cost = _push_to(state, y, h, NOWHERE)
        after += cost
        if second != NOWHERE and before - after > _LEAST * capacity:
            ledger.attach(state, y, second)
            return True
        ledger.detach(state, x)
    ledger.detach(state, j)
    ledger.attach(state, j, b)
    ledger.attach(state, x, h)
    ledger.attach(state, y, h)
    return False


@inlined
def _lightest_pair(state: State, h: int, need: float, speed: float) -> tuple[int, int]:
    """Two members that make enough room and have the least total speed, below a given speed."""
    speeds, links = state.speeds, state.links
    x, y, least = NOWHERE, NOWHERE, speed
    i, looked = links[FIRST, h], 0
    while i != NOWHERE and looked < _PAIRED:
        looked += 1
        k = links[NEXT, i]
        looked_too = looked
        while k != NOWHERE and looked_too < _PAIRED:
            looked_too += 1
            together = speeds[i] + speeds[k]
            if need <= together < least:
                x, y, least = i, k, together
            k = links[NEXT, k]
        i = links[NEXT, i]
    return int(x), int(y)
