"""Instances that fetch events ahead, as consumers of a shared subscription of Pulsar do.

Events of a function are handed out in turns: the next instance by number that works and has room
gets up to `TURN` events, as many as wait and fit. So an event stays with its instance while others
may be idle. An instance that takes an event from its buffer has room for another one at once. What
a removed instance has fetched goes back, in the order of arrival, and is handed out before newer
events; the event that it serves stays with it. Instances that start at one time all have room
before events are handed out; where one starts before another, it fetches what waits.

Pulsar (`PersistentDispatcherMultipleConsumers`) hands out up to `TURN` of the events that it reads
at once, and a client returns its room in halves of its queue, which changes no order as long as a
buffer is not empty.
"""

from __future__ import annotations

from algorithms.core.arrays import Longs
from algorithms.core.compiled import inlined, inner
from algorithms.simulation.application_graph import MAX_INSTANCES
from algorithms.simulation.application_network import Network
from algorithms.simulation.application_service import begin_service
from algorithms.simulation.application_state import HELD, Agenda, Functions, State

TURN = 20
"""Events that an instance gets in one turn at most: Pulsar's dispatcherMaxRoundRobinBatchSize."""


@inner
def hand_out(network: Network, state: State, f: int, now: float) -> None:
    """Hand out what waits for a function, until nothing waits or no instance has room."""
    functions, buffers, pool = state.functions, state.buffers, state.pool
    while functions.queued[f] > 0:
        number = _next_with_room(functions, buffers.held, f, network.receiver_queue)
        if number < 0:
            return
        functions.turn[f] = (number + 1) % MAX_INSTANCES
        place, slot = f * MAX_INSTANCES + number, 1 << number
        room = network.receiver_queue - buffers.held[place]
        for _ in range(min(TURN, room, functions.queued[f])):
            event = functions.head[f]
            functions.head[f] = pool.following[event]
            functions.queued[f] -= 1
            if buffers.held[place] == 0:
                buffers.first[place] = event
            else:
                pool.following[buffers.last[place]] = event
            buffers.last[place] = event
            buffers.held[place] += 1
        if functions.idle[f] & slot:
            functions.idle[f] ^= slot
            _serve_first(network, state, f, slot, place, now)


@inner
def take_fetched(network: Network, state: State, f: int, slot: int, now: float) -> None:
    """Let an instance take the first event that it has fetched, or be idle."""
    place = f * MAX_INSTANCES + _number(slot)
    if state.buffers.held[place] == 0:
        state.functions.idle[f] |= slot
    else:
        _serve_first(network, state, f, slot, place, now)
    hand_out(network, state, f, now)


@inner
def begin_work(network: Network, state: State, f: int, slot: int, now: float) -> None:
    """Let an instance begin to work; the last one of those that start now fetches with them."""
    state.functions.working[f] |= slot
    state.functions.idle[f] |= slot
    if not _starts_another(state.agenda, state.counters[HELD], state.pool.route, f, now):
        hand_out(network, state, f, now)


@inlined
def _starts_another(agenda: Agenda, held: int, route: Longs, f: int, now: float) -> bool:
    """Whether what is due next is the start of an instance of the same function at this time."""
    return bool(held > 0 and agenda.time[0] == now and route[agenda.event[0]] == -1 - f)


@inlined
def _next_with_room(functions: Functions, held: Longs, f: int, receiver_queue: int) -> int:
    """Number of the instance whose turn it is, of those that work and have room; else -1."""
    for step in range(MAX_INSTANCES):
        number = (functions.turn[f] + step) % MAX_INSTANCES
        if (functions.working[f] >> number) & 1 and held[
            f * MAX_INSTANCES + number
        ] < receiver_queue:
            return int(number)
    return -1


@inlined
def _number(slot: int) -> int:
    """Number of the instance with a bit."""
    number = 0
    while slot > 1:
        slot >>= 1
        number += 1
    return number


@inlined
def _serve_first(network: Network, state: State, f: int, slot: int, place: int, now: float) -> None:
    """Let an instance begin to serve the first event that it has fetched."""
    buffers = state.buffers
    event = buffers.first[place]
    buffers.first[place] = state.pool.following[event]
    buffers.held[place] -= 1
    begin_service(network, state, f, event, slot, now)
