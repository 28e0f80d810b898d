"""One iteration of sticky repair: repair the last assignment, and perhaps repack parts."""

from __future__ import annotations

import numpy as np

from algorithms.assignment import fit_rules, matching
from algorithms.assignment.sticky import (
    close,
    evict,
    ledger,
    place,
    polish,
    recall,
    refit,
    repack,
    risk,
)
from algorithms.assignment.sticky.free_capacity import OWNER
from algorithms.assignment.sticky.ledger import LOG, OPEN, PENDING
from algorithms.assignment.sticky.risk import FIRST_COUNT, PRICE
from algorithms.assignment.sticky.state import State
from algorithms.assignment.sticky.workspace import BASE, MEMBERS, PAST, TRIAL, Room
from algorithms.core.arrays import Ints
from algorithms.core.compiled import kernel

REPACKED_FROM = 0.6
"""Price from which repacks are tried too; below, they are hardly ever better."""

REFITTED_FROM = 3.0
"""Price from which `refit` replaces `recall`: consumers are then so full that chains of moves
hardly find room. Below, chains find enough room, and `refit` ignores risk."""

_LEFT_BY_POLISH = 0.6
"""Share of the migrated bytes that polishing leaves at best, as measured. A repack that would not
be better even then is not polished."""

_PASSES = 2
"""Passes of polishing while assignments are compared."""

_VARIANTS = np.array(
    [(0.2, 0.02, 1), (0.5, 0.02, 0), (0.5, 0.15, 1), (0.75, 0.04, 0), (1.0, 0.04, 1)]
)
"""Repacks: share of consumers that are emptied; leniency to homes as a share of C; and whether it
is also tried from `REFITTED_FROM` on, where `refit` achieves more in the same time."""


@kernel
def mend(state: State, room: Room, after: Ints) -> None:
    """Evict, place, close, polish; `after` holds the last assignment, then the result."""
    ledger.build(state, after)
    evict.all_overloads(state, room)
    ledger.take(state, room.lists[BASE])
    for j in state.order:
        if state.links[OWNER, j] == PENDING:
            state.marks[LOG] = 0
            place.place(state, j, True)
    close.lightest(state, room.lists[MEMBERS])
    polish.run(state, polish.PASSES)
    ledger.take(state, after)


@kernel
def choose(state: State, room: Room, after: Ints) -> None:
    """Replace the repaired assignment, which the state holds too, with the best of all repacks."""
    marks, terms = state.marks, state.terms
    count, refitted = marks[OPEN], terms[PRICE] >= REFITTED_FROM * state.capacity
    least = _objective(state, after)
    trial = room.lists[TRIAL]
    if terms[FIRST_COUNT] > 0.0:
        for rule in (fit_rules.BEST, fit_rules.FIRST):
            if _decreasing(rule, state, room) < count:
                _relabel(state, room, trial)
                _polish(state, trial)
                least = _objective(state, trial)
                count = marks[OPEN]
                ledger.copy(trial, after)
    for i in range(_VARIANTS.shape[0]):
        if refitted and _VARIANTS[i, 2] == 0.0:
            continue
        ledger.build(state, room.lists[BASE])
        emptied = int(_VARIANTS[i, 0] * marks[OPEN]) + 1
        repack.release(state, emptied)
        leniency = _VARIANTS[i, 1] * state.capacity
        repack.fill(state, leniency)
        ledger.take(state, trial)
        _relabel(state, room, trial)
        moved = ledger.moved_bytes(state, trial)
        if terms[PRICE] * marks[OPEN] + _LEFT_BY_POLISH * moved >= least:
            continue
        _polish(state, trial)
        objective = _objective(state, trial)
        if objective < least:
            least = objective
            ledger.copy(trial, after)


@kernel
def _decreasing(rule: int, state: State, room: Room) -> int:
    """Pack all partitions from scratch into `trial`; return the number of consumers.

    The number is that of BFD or FFD itself: FFD depends on the ids of the consumers, so those of
    its own past are used. In BFD they make no difference.
    """
    trial, past = room.lists[TRIAL], room.lists[PAST]
    count = repack.decreasing(rule, state, room, past, trial)
    if rule == fit_rules.FIRST:
        ledger.copy(trial, past)
    return count


@kernel
def finish(state: State, room: Room, after: Ints) -> None:
    """Match ids, and return home the partitions that a chain of moves or `refit` can return."""
    _relabel(state, room, after)
    ledger.build(state, after)
    if state.terms[PRICE] >= REFITTED_FROM * state.capacity:
        polish.run(state, polish.PASSES)
        changed = refit.run(state, room)
    else:
        recall.run(state)
        polish.run(state, polish.PASSES)
        changed = False
    ledger.take(state, after)
    if changed:
        _relabel(state, room, after)


@kernel
def _polish(state: State, owners: Ints) -> None:
    """Polish an assignment; the state then holds it."""
    ledger.build(state, owners)
    polish.run(state, _PASSES)
    ledger.take(state, owners)


@kernel
def _relabel(state: State, room: Room, owners: Ints) -> None:
    matching.relabel(state.speeds, state.home, owners, room.ints, room.floats)


@kernel
def _objective(state: State, owners: Ints) -> float:
    """Sum of migrated bytes, risk and price of the consumers that the state holds. O(P)."""
    price = state.terms[PRICE] * state.marks[OPEN]
    return float(ledger.moved_bytes(state, owners) + risk.total(state) + price)
