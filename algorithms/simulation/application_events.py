"""Simulation of an application event by event.

At one time, completions and starts of instances come before arrivals from sources, in the order in
which they were scheduled, and arrivals come in the order of the sources. A completed event is
passed on before its instance takes the next one from the queue. Of several idle instances, the one
with the lowest number takes an event. Where instances have buffers, see
`algorithms.simulation.application_buffers`.

All draws for an event depend on its key alone. That is a hash of the seed, the source, the number
of the source's event, and then per function on its way the name of the function and which of the
events passed on to it this one is. So an event has the same service time whatever was before it in
the queue.
"""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.arrays import Longs
from algorithms.core.compiled import inlined, kernel
from algorithms.core.keyed_draws import GAMMA, mix, unit
from algorithms.simulation.application_agenda import take_next
from algorithms.simulation.application_buffers import begin_work, hand_out, take_fetched
from algorithms.simulation.application_measures import (
    count_arrival,
    count_completion,
    count_response,
)
from algorithms.simulation.application_network import NONE, Network
from algorithms.simulation.application_service import begin_service, exponential
from algorithms.simulation.application_state import HELD, SAMPLES, VACANT, Pool, Sources, State

DONE, FULL_POOL, FULL_SAMPLES = range(3)
"""Why `advance` returned: it is finished, or first needs `with_events` or `with_samples`."""


@kernel
def draw_first_arrivals(network: Network, sources: Sources) -> None:
    """Draw the time of each source's first event."""
    for s in range(sources.time.shape[0]):
        _draw_arrival(network, sources, s)


@kernel
def advance(network: Network, state: State, until: float) -> int:
    """Simulate until a time, or until there is no room.

    Arrivals from sources at that time are left for the next call; everything else that happens then
    is included. An event takes O(log n), for n events in service, and O(S) for S sources.

    Returns: `DONE`, or what is full: then the call can be repeated with more room.
    """
    pool, agenda, counters = state.pool, state.agenda, state.counters
    while True:
        source, now = _next_source(state.sources)
        is_due = counters[HELD] > 0 and agenda.time[0] <= min(now, until)
        if not is_due and now >= until:
            break
        if counters[VACANT] < network.spawn:
            return FULL_POOL
        if counters[SAMPLES] == state.responses.sample.shape[0]:
            return FULL_SAMPLES
        if is_due:
            now = agenda.time[0]
            event = take_next(agenda, counters)
            is_start = pool.route[event] < 0
            f, slot = function_of(network.route_function, pool.route[event]), pool.slot[event]
            key, born, first, last, copies = _end(network, state, f, event, now)
            pool.vacant[counters[VACANT]] = event
            counters[VACANT] += 1
        else:
            f, slot, born, copies, is_start = 0, 0, now, 1, False
            key, first, last = _arrive(network, state, source)
        for route in range(first, last):
            g = network.route_function[route]
            for number in range(copies):
                event = new_event(pool, counters)
                pool.key[event] = _part(mix(key + network.keys[g]), number)
                pool.born[event], pool.route[event] = born, route
                _enter(network, state, g, event, now)
        _go_on(network, state, f, slot, is_start, now)
    return DONE


@inlined
def _go_on(network: Network, state: State, f: int, slot: int, is_start: bool, now: float) -> None:
    """Let an instance that has started or completed an event go on; bit 0: it was removed."""
    if network.receiver_queue > 0 and is_start:
        begin_work(network, state, f, slot, now)
    elif network.receiver_queue > 0 and slot != 0:
        take_fetched(network, state, f, slot, now)
    elif slot != 0:
        _take(network, state, f, slot, now)


@inlined
def _part(key: np.uint64, number: int) -> np.uint64:
    """Key of the event of a given number, from 0, among those of a source or of another event."""
    return mix(key + np.uint64(number + 1) * GAMMA)


@inlined
def function_of(route_function: Longs, route: int) -> int:
    """Function at which an event of a route is, or which an instance starts for."""
    return int(route_function[route]) if route >= 0 else -1 - route


@inlined
def new_event(pool: Pool, counters: Longs) -> int:
    """An index of the pool for a new event; the caller makes sure that there is one."""
    counters[VACANT] -= 1
    return int(pool.vacant[counters[VACANT]])


@inlined
def _next_source(sources: Sources) -> tuple[int, float]:
    source, time = 0, sources.time[0]
    for s in range(1, sources.time.shape[0]):
        if sources.time[s] < time:
            source, time = s, sources.time[s]
    return source, time


@kernel
def _draw_arrival(network: Network, sources: Sources, s: int) -> None:
    """Draw the time of a source's next event: where the integral of its rate reaches a level."""
    sources.number[s] += 1
    if network.exponential:
        gap = exponential(_part(network.source_keys[s], sources.number[s]))
    else:
        # Each event is in the middle of its spacing, so that none is at the end of an interval.
        gap = 1.0 if sources.number[s] > 0 else 0.5
    sources.level[s] += gap
    level, piece = sources.level[s], sources.piece[s]
    while piece < network.piece_last[s] and level >= network.piece_level[piece]:
        piece += 1
    sources.piece[s] = piece
    if piece == network.piece_last[s]:
        sources.time[s] = math.inf
        return
    before = network.piece_level[piece - 1] if piece > network.piece_first[s] else 0.0
    time = network.piece_begin[piece] + (level - before) / network.piece_rate[piece]
    sources.time[s] = min(time, network.piece_end[piece])


@inlined
def _arrive(network: Network, state: State, s: int) -> tuple[np.uint64, int, int]:
    """Key of a source's next event, and the first and last route that it takes."""
    first, last = network.source_first[s], network.source_last[s]
    key = _part(network.source_keys[s], state.sources.number[s])
    for route in range(first, last):
        state.functions.entered[network.route_function[route]] += 1
    _draw_arrival(network, state.sources, s)
    return key, first, last


@inlined
def _end(
    network: Network, state: State, f: int, event: int, now: float
) -> tuple[np.uint64, float, int, int, int]:
    """Complete an event: its key, birth, routes on, and how often; a start goes nowhere."""
    pool = state.pool
    key, born, route = pool.key[event], pool.born[event], pool.route[event]
    if route < 0:
        return key, born, 0, 0, 0
    count_completion(state.functions, f, pool.arrived[event], pool.service[event], now)
    path = network.route_path[route]
    if path != NONE:
        count_response(state.responses, state.counters, path, now - born, now)
        return key, born, 0, 0, 0
    copies, part = network.whole[f], network.part[f]
    if part > 0.0 and unit(key) < part:
        copies += 1
    return key, born, network.route_first[route], network.route_last[route], copies


@inlined
def _enter(network: Network, state: State, f: int, event: int, now: float) -> None:
    """Let an event arrive at a function: an idle instance takes it, or it waits."""
    functions, pool = state.functions, state.pool
    waiting = functions.backlog[f] - functions.serving[f]
    if network.receiver_queue > 0:
        waiting = functions.queued[f]
    count_arrival(functions, f, now)
    pool.arrived[event] = now
    if waiting == 0:
        functions.head[f] = event
    else:
        pool.following[functions.tail[f]] = event
    functions.tail[f] = event
    if network.receiver_queue > 0:
        pool.place[event] = functions.placed[f]
        functions.placed[f] += 1
        functions.queued[f] += 1
        hand_out(network, state, f, now)
        return
    idle = functions.idle[f]
    if idle != 0:
        slot = idle & -idle
        functions.idle[f] = idle ^ slot
        _take(network, state, f, slot, now)


@inlined
def _take(network: Network, state: State, f: int, slot: int, now: float) -> None:
    """Let an instance take the first event of the queue, or be idle."""
    functions, pool = state.functions, state.pool
    if functions.backlog[f] == functions.serving[f]:
        functions.idle[f] |= slot
        return
    event = functions.head[f]
    functions.head[f] = pool.following[event]
    begin_service(network, state, f, event, slot, now)
