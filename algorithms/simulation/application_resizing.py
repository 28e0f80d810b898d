"""Scaling of a function of a simulated application: instances are removed and started."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel
from algorithms.simulation.application_agenda import schedule
from algorithms.simulation.application_buffers import hand_out
from algorithms.simulation.application_events import function_of, new_event
from algorithms.simulation.application_graph import MAX_INSTANCES
from algorithms.simulation.application_network import Network
from algorithms.simulation.application_settings import ApplicationSettings
from algorithms.simulation.application_state import HELD, State


def resize(
    network: Network,
    state: State,
    f: int,
    instances: int,
    settings: ApplicationSettings,
    now: float,
) -> None:
    """Change the number of instances of a function; the pool needs room for each of them.

    All instances are removed if changes restart them, else only those with the highest numbers that
    are too many. They finish their event; those that have not started yet never do. What they have
    fetched ahead goes back.
    """
    before = int(state.functions.instances[f])
    kept = 0 if settings.replace else min(before, instances)
    _remove(network, state, f, kept)
    if network.receiver_queue > 0 and kept < before:
        redeliver(network, state, f, (kept, MAX_INSTANCES), np.empty(0, dtype=np.int64), now)
    state.functions.instances[f] = instances
    start(state, f, kept, instances, now + settings.startup_s, settings.start_gap_s)


@kernel
def _remove(network: Network, state: State, f: int, kept: int) -> None:
    """Remove the instances from number `kept` on."""
    functions, pool, agenda = state.functions, state.pool, state.agenda
    stays = (1 << kept) - 1
    for i in range(state.counters[HELD]):
        event = agenda.event[i]
        if function_of(network.route_function, pool.route[event]) == f:
            pool.slot[event] &= stays
    functions.idle[f] &= stays
    functions.working[f] &= stays


@kernel
def start(state: State, f: int, kept: int, instances: int, work: float, gap: float) -> None:
    """Start the instances from number `kept` on, one after another; the first one at `work`."""
    for number in range(kept, instances):
        start = new_event(state.pool, state.counters)
        state.pool.route[start], state.pool.slot[start] = -1 - f, 1 << number
        schedule(state.agenda, state.counters, work + (number - kept) * gap, start)


def redeliver(
    network: Network, state: State, f: int, numbers: tuple[int, int], back: Longs, now: float
) -> None:
    """Put what instances have fetched back into the queue, in the order of arrival.

    numbers: First one, and the one after the last one, of the instances.
    back: Events that they held, which go back as well.
    O(n log n) for n events that wait there or go back.
    """
    first, last = (f * MAX_INSTANCES + number for number in numbers)
    count = int(state.functions.queued[f] + state.buffers.held[first:last].sum())
    waiting = np.empty(count, dtype=np.int64)
    _collect(state, f, first, last, waiting)
    waiting = np.concatenate((waiting, back))
    _queue(network, state, f, waiting[np.argsort(state.pool.place[waiting])], now)


@kernel
def _collect(state: State, f: int, begin: int, end: int, waiting: Longs) -> None:
    """List the events of a queue and of the buffers ``begin .. end - 1``; empty these."""
    buffers, following = state.buffers, state.pool.following
    event, listed = state.functions.head[f], 0
    for _ in range(state.functions.queued[f]):
        waiting[listed] = event
        event, listed = following[event], listed + 1
    for place in range(begin, end):
        event = buffers.first[place]
        for _ in range(buffers.held[place]):
            waiting[listed] = event
            event, listed = following[event], listed + 1
        buffers.held[place] = 0


@kernel
def _queue(network: Network, state: State, f: int, waiting: Longs, now: float) -> None:
    """Make events the queue of a function, and hand them out."""
    functions = state.functions
    functions.queued[f] = waiting.shape[0]
    if waiting.shape[0] > 0:
        functions.head[f], functions.tail[f] = waiting[0], waiting[-1]
    for i in range(waiting.shape[0] - 1):
        state.pool.following[waiting[i]] = waiting[i + 1]
    hand_out(network, state, f, now)
