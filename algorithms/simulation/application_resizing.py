"""Scaling of a function of a simulated application: instances are removed and started."""

from __future__ import annotations

from algorithms.core.compiled import kernel
from algorithms.simulation.application_agenda import schedule
from algorithms.simulation.application_events import function_of, new_event
from algorithms.simulation.application_network import Network
from algorithms.simulation.application_state import HELD, State


@kernel
def resize(
    network: Network, state: State, f: int, instances: int, replace: bool, work: float
) -> None:
    """Change the number of instances of a function; the pool needs room for each of them.

    replace: Whether all instances are removed, else only those with the highest numbers that are
        too many. They finish their event; those that have not started yet never do.
    work: When new instances begin to work, s.
    """
    functions, pool, agenda = state.functions, state.pool, state.agenda
    kept = 0 if replace else min(functions.instances[f], instances)
    stays = (1 << kept) - 1
    for i in range(state.counters[HELD]):
        event = agenda.event[i]
        if function_of(network.route_function, pool.route[event]) == f:
            pool.slot[event] &= stays
    functions.idle[f] &= stays
    functions.instances[f] = instances
    for number in range(kept, instances):
        start = new_event(pool, state.counters)
        pool.route[start], pool.slot[start] = -1 - f, 1 << number
        schedule(agenda, state.counters, work, start)
