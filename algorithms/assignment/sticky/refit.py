"""Return migrated partitions home, even if all others that migrate have to be repacked for it.

Partitions that have already migrated can be moved again at no extra cost. So the room that the
partitions at home leave in consumers is a packing problem of its own, and all its solutions cost
the same. A partition can return home if best fit decreasing finds a solution without that room.
"""

from __future__ import annotations

from algorithms.assignment.sticky import free_capacity, ledger
from algorithms.assignment.sticky.free_capacity import COUNT, FIRST, NEXT, OWNER
from algorithms.assignment.sticky.ledger import HINT, NOWHERE, OPEN, PENDING
from algorithms.assignment.sticky.state import State
from algorithms.assignment.sticky.workspace import LINKED, MOVED, QUEUE, SEEN, Room
from algorithms.core.arrays import Ints
from algorithms.core.compiled import kernel

TRIED = 32
"""Failed attempts for one packing problem in one round, at most."""

SENT = 512
"""Partitions of one packing problem that return home in one round, at most."""

MEMBERS = 24
_ROUNDS = 3
_LEAST = 1e-9

_WHO, _WHERE = 0, 1
"""Rows of a list of migrated partitions: the partition, and its consumer."""


@kernel
def run(state: State, room: Room) -> bool:
    """Return partitions home, largest first; return whether any moved.

    Up to `workspace.MOVED` migrated partitions are packed together: those of a consumer together
    with those at their homes. The number of consumers does not grow, none is overloaded, and
    migrated bytes fall with each partition that returns. Risk is ignored. O(P) times the sum of
    `TRIED` and `SENT` at worst, as each problem has a limited size.
    """
    n = _line_up(state, room)
    done = False
    for first in range(0, n, MOVED):
        m = min(n - first, MOVED)
        for q in range(m):
            j = room.lists[LINKED, first + q]
            _insert(state, room.moved, q, j, state.links[OWNER, j])
        done |= _refit(state, room, m)
    return done


@kernel
def _line_up(state: State, room: Room) -> int:
    """List migrated partitions in `LINKED`: those of one consumer, then those at their homes."""
    speeds, home, order, links = state.speeds, state.home, state.order, state.links
    room.lists[SEEN, :] = False
    n, head, tail = 0, 0, 0
    for j in order:
        if speeds[j] <= 0.0:
            break
        if links[OWNER, j] == home[j] or room.lists[SEEN, links[OWNER, j]]:
            continue
        tail = _enqueue(state, room, tail, links[OWNER, j])
        while head < tail:
            c = room.lists[QUEUE, head]
            head += 1
            i = links[FIRST, c]
            while i != NOWHERE:
                if home[i] != c and speeds[i] > 0.0:
                    room.lists[LINKED, n] = i
                    n += 1
                    tail = _enqueue(state, room, tail, home[i])
                i = links[NEXT, i]
    return n


@kernel
def _enqueue(state: State, room: Room, tail: int, c: int) -> int:
    """Append an open consumer that has not been seen to the queue; return its new end."""
    if c == NOWHERE or state.links[COUNT, c] == 0 or room.lists[SEEN, c]:
        return tail
    room.lists[SEEN, c] = True
    room.lists[QUEUE, tail] = c
    return tail + 1


@kernel
def _insert(state: State, moved: Ints, m: int, j: int, c: int) -> None:
    """Insert a partition at its place among m, largest first, ties by index."""
    q = m
    while q > 0 and ledger.smaller(state, moved[_WHO, q - 1], j):
        moved[_WHO, q] = moved[_WHO, q - 1]
        moved[_WHERE, q] = moved[_WHERE, q - 1]
        q -= 1
    moved[_WHO, q] = j
    moved[_WHERE, q] = c


@kernel
def _refit(state: State, room: Room, m: int) -> bool:
    """Solve one problem, of the first m of `moved`; return whether any returned home."""
    moved, most = room.moved, state.marks[OPEN]
    for q in range(m):
        ledger.detach(state, moved[_WHO, q])
    changed = False
    for _ in range(_ROUNDS):
        q, tried, sent = 0, 0, 0
        while q < m and tried < TRIED and sent < SENT:
            x = _leaver(state, most, moved[_WHO, q])
            if x == PENDING or moved[_WHERE, q] == state.home[moved[_WHO, q]]:
                q += 1
                continue
            left = _send_home(state, most, room, m, q, x)
            if left == NOWHERE:
                tried += 1
                q += 1
            else:
                m = left
                sent += 1
        if sent == 0:
            break
        changed = True
    for q in range(m):
        ledger.attach(state, moved[_WHO, q], moved[_WHERE, q])
    return changed


@kernel
def _leaver(state: State, most: int, j: int) -> int:
    """Smallest member, below j, that makes room at home; `NOWHERE`: has room; `PENDING`: none."""
    speeds, links, loads, capacity = state.speeds, state.links, state.loads, state.capacity
    h, speed = state.home[j], speeds[j]
    if h == NOWHERE:
        return PENDING
    if links[COUNT, h] == 0:
        return NOWHERE if state.marks[OPEN] < most else PENDING
    if loads[h] + speed <= capacity:
        return NOWHERE
    best = PENDING
    i, looked = links[FIRST, h], 0
    while i != NOWHERE and looked < MEMBERS:
        looked += 1
        if (
            speeds[i] < speed
            and loads[h] - speeds[i] + speed <= capacity
            and (best == PENDING or ledger.smaller(state, i, best))
        ):
            best = i
        i = links[NEXT, i]
    return int(best)


@kernel
def _send_home(state: State, most: int, room: Room, m: int, q: int, x: int) -> int:
    """Return the q-th of m home, for which x leaves (`NOWHERE`: none), if all others fit.

    Returns the number of partitions that are then in the list. If they do not fit or more would
    migrate, restores everything and returns `NOWHERE`.
    """
    j = room.moved[_WHO, q]
    h = state.home[j]
    load = state.loads[h]
    if x != NOWHERE:
        ledger.detach(state, x)
    ledger.attach(state, j, h)
    n = _others(state, room, m, q, x)
    if _pack(state, room, most, n):
        saved = _migrated(state, room.moved, m) - _migrated(state, room.others, n)
        if saved > _LEAST * state.capacity:
            for i in range(n):
                room.moved[_WHO, i] = room.others[_WHO, i]
                room.moved[_WHERE, i] = room.others[_WHERE, i]
            return n
    ledger.detach(state, j)
    if x != NOWHERE:
        ledger.attach(state, x, h)
    # Adding and subtracting may have changed the last bit.
    state.loads[h] = load
    free_capacity.file(state, h)
    return NOWHERE


@kernel
def _others(state: State, room: Room, m: int, q: int, x: int) -> int:
    """List all of m except the q-th, and x unless it is `NOWHERE`; return their number."""
    moved, others = room.moved, room.others
    n = 0
    for i in range(m):
        if i != q:
            others[_WHO, n] = moved[_WHO, i]
            n += 1
    if x != NOWHERE:
        _insert(state, others, n, x, NOWHERE)
        n += 1
    return n


@kernel
def _migrated(state: State, moved: Ints, m: int) -> float:
    """Bytes/s of the first m of a list that are not at home."""
    home = state.home
    total = 0.0
    for q in range(m):
        j = moved[_WHO, q]
        if home[j] != NOWHERE and moved[_WHERE, q] != home[j]:
            total += state.speeds[j]
    return total


@kernel
def _pack(state: State, room: Room, most: int, n: int) -> bool:
    """Pack n by best fit decreasing into at most `most` consumers; return whether all fit.

    The places are stored only in the list; the state is restored. Consumers without other members
    are opened last, as best fit would.
    """
    speeds, links, loads, marks = state.speeds, state.links, state.loads, state.marks
    others, was = room.others, room.was
    placed = 0
    for q in range(n):
        j = others[_WHO, q]
        c = free_capacity.best_fit(state, speeds[j], 0.0, NOWHERE, NOWHERE)
        if c == NOWHERE:
            if marks[OPEN] >= most:
                break
            c = ledger.closed_id(state, j)
        others[_WHERE, q] = c
        was[q] = loads[c]
        loads[c] += speeds[j]
        links[COUNT, c] += 1
        marks[OPEN] += links[COUNT, c] == 1
        free_capacity.file(state, c)
        placed += 1
    for q in range(placed - 1, -1, -1):
        c = others[_WHERE, q]
        loads[c] = was[q]
        links[COUNT, c] -= 1
        if links[COUNT, c] == 0:
            marks[OPEN] -= 1
            marks[HINT] = min(marks[HINT], c)
        free_capacity.file(state, c)
    return placed == n
