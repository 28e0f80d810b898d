"""The agenda of an application's simulation: a binary heap of what is due, the next one first."""

from __future__ import annotations

from algorithms.core.arrays import Longs
from algorithms.core.compiled import inlined
from algorithms.simulation.application_state import HELD, SCHEDULED, Agenda


@inlined
def schedule(agenda: Agenda, counters: Longs, time: float, event: int) -> None:
    """Enter what is due at a time; the caller makes sure that there is room."""
    order = counters[SCHEDULED]
    counters[SCHEDULED] += 1
    hole = counters[HELD]
    counters[HELD] += 1
    while hole > 0:
        parent = (hole - 1) >> 1
        # What was scheduled before comes first at the same time, so only a later time moves down.
        if agenda.time[parent] <= time:
            break
        _move(agenda, parent, hole)
        hole = parent
    agenda.time[hole] = time
    agenda.order[hole] = order
    agenda.event[hole] = event


@inlined
def take_next(agenda: Agenda, counters: Longs) -> int:
    """Remove what is due next, and return its index in the pool."""
    event = agenda.event[0]
    counters[HELD] -= 1
    held = counters[HELD]
    time, order = agenda.time[held], agenda.order[held]
    hole, child = 0, 1
    while child < held:
        if child + 1 < held and _is_before(agenda, child + 1, agenda.time[child], child):
            child += 1
        if not _is_before(agenda, child, time, held):
            break
        _move(agenda, child, hole)
        hole = child
        child = 2 * hole + 1
    agenda.time[hole] = time
    agenda.order[hole] = order
    agenda.event[hole] = agenda.event[held]
    return int(event)


@inlined
def _is_before(agenda: Agenda, one: int, time: float, other: int) -> bool:
    """Whether an entry is due before another one, which has the given time."""
    if agenda.time[one] != time:
        return bool(agenda.time[one] < time)
    return bool(agenda.order[one] < agenda.order[other])


@inlined
def _move(agenda: Agenda, start: int, end: int) -> None:
    agenda.time[end] = agenda.time[start]
    agenda.order[end] = agenda.order[start]
    agenda.event[end] = agenda.event[start]
