"""Changing arrays of an application's simulation, and how they grow.

Events are kept in a pool: an index serves for an event until it is completed, and then for another
one.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar, get_type_hints

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.simulation.application_graph import MAX_INSTANCES
from algorithms.simulation.application_network import Keys, Network

HELD, VACANT, SCHEDULED, SAMPLES = range(4)
"""Counters: entries of the agenda, free indices of the pool, happenings scheduled so far, and
response times so far."""

_FIRST_SIZE = 1024


class Pool(NamedTuple):
    """Events that are waiting or in service, and starts of instances that are due."""

    key: Keys
    """uint64[n]: key of the event's draws."""
    born: Floats
    arrived: Floats
    service: Floats
    """`born`, `arrived`, `service`: float64[n]: when its source event arrived, when it arrived
    here, and its service time; s."""
    route: Longs
    """int64[n]: its route; ``-1 - function`` for the start of an instance."""
    slot: Longs
    """int64[n]: bit of the instance that serves it or starts; 0 if that was removed."""
    following: Longs
    """int64[n]: the next event in the same queue or buffer."""
    place: Longs
    """int64[n]: how many events had arrived at the function before, if instances have buffers."""
    vacant: Longs
    """int64[n]: free indices; the counter `VACANT` says how many."""


class Agenda(NamedTuple):
    """Completions and starts that are due: a binary heap, the next one first."""

    time: Floats
    """float64[n]: seconds."""
    order: Longs
    """int64[n]: of those at one time, the one scheduled first comes first."""
    event: Longs
    """int64[n]: index in the pool."""


class Functions(NamedTuple):
    """State and measurements of F functions."""

    instances: Longs
    idle: Longs
    """`instances`, `idle`: int64[F]: instances asked for; bits of those that are working and
    idle."""
    head: Longs
    tail: Longs
    """`head`, `tail`: int64[F]: first and last event of each queue."""
    queued: Longs
    placed: Longs
    working: Longs
    turn: Longs
    """`queued`, `placed`, `working`, `turn`: int64[F], if instances have buffers: events in the
    queue, which are in no buffer; events that have arrived; bits of the instances that work; number
    of the instance whose turn it is."""
    backlog: Longs
    serving: Longs
    """`backlog`, `serving`: int64[F]: events that are waiting or in service; those in service."""
    summed: Floats
    """float64[F]: until when `backlog_s` and `busy` are summed up."""
    backlog_s: Floats
    waited: Floats
    stayed: Floats
    """`backlog_s`, `waited`, `stayed`: float64[F]: integral of the backlog, waiting times, and
    times until completion; sums since the start."""
    arrivals: Longs
    entered: Longs
    completions: Longs
    """`arrivals`, `entered`, `completions`: int64[F]: since the last decision; `entered` are the
    arrivals from sources."""
    busy: Floats
    """float64[F]: instance-seconds of service since the last decision."""
    last_arrival: Floats
    gap_mean: Floats
    gap_squares: Floats
    service_mean: Floats
    service_squares: Floats
    """`last_arrival`, `gap_mean`, `gap_squares`, `service_mean`, `service_squares`: float64[F]:
    since the last decision: time of the last arrival; mean and sum of squared deviations from it,
    of times between arrivals and of service times of completed events."""


class Buffers(NamedTuple):
    """What instances have fetched: of instance i of function f at ``f * MAX_INSTANCES + i``."""

    first: Longs
    last: Longs
    held: Longs
    """`first`, `last`, `held`: int64[F * MAX_INSTANCES]: first and last event, and how many."""


class Sources(NamedTuple):
    """State of S sources."""

    number: Longs
    piece: Longs
    """`number`, `piece`: int64[S]: number of the next event, from 0, and the piece that it is
    in."""
    level: Floats
    time: Floats
    """`level`, `time`: float64[S]: integral of the rate up to the next event, and its time, +inf
    after the last one."""


class Responses(NamedTuple):
    """Response times along Q paths, in the order of completion."""

    sample: Floats
    path: Longs
    """`sample`, `path`: float64[n], int64[n]: response time in s, and the path; the counter
    `SAMPLES` says how many."""
    total: Floats
    """float64[Q]: sum of the response times."""
    interval: Longs
    interval_events: Longs
    """`interval`, `interval_events`: int64[Q]: interval of 30 s of the last completion, and
    completions in it."""
    interval_total: Floats
    peak: Floats
    """`interval_total`, `peak`: float64[Q]: sum of the response times in that interval; greatest
    mean of the intervals before."""


class State(NamedTuple):
    """All that changes during a simulation; `counters` is int64[4], see `HELD`."""

    pool: Pool
    agenda: Agenda
    functions: Functions
    buffers: Buffers
    sources: Sources
    responses: Responses
    counters: Longs


_DTYPES = {Floats: np.float64, Longs: np.int64, Keys: np.uint64}

Arrays = TypeVar("Arrays", Pool, Agenda, Functions, Buffers, Sources, Responses)


def make_state(network: Network, paths: int, instances: Longs) -> State:
    """State at time 0, before the first arrivals are drawn: all instances are idle.

    instances: int64[F], instances that work from the start.
    """
    functions = _zeros(Functions, network.keys.size)
    functions.instances[:] = instances
    functions.idle[:] = (1 << instances) - 1
    functions.working[:] = functions.idle
    buffers = _zeros(Buffers, network.keys.size * MAX_INSTANCES)
    sources = _zeros(Sources, network.source_keys.size)
    sources.number[:] = -1
    sources.piece[:] = network.piece_first
    responses = _zeros(Responses, paths)._replace(sample=np.zeros(0), path=np.zeros(0, np.int64))
    counters = np.zeros(4, np.int64)
    pool, agenda = _zeros(Pool, 0), _zeros(Agenda, 0)
    state = State(pool, agenda, functions, buffers, sources, responses, counters)
    return with_samples(with_events(state))


def with_events(state: State) -> State:
    """The same state with a pool and an agenda twice as large."""
    size = state.pool.key.size
    pool = Pool(*(_doubled(array) for array in state.pool))
    added = np.arange(pool.key.size - 1, size - 1, -1)
    vacant = state.counters[VACANT]
    pool.vacant[vacant : vacant + added.size] = added
    state.counters[VACANT] += added.size
    return state._replace(pool=pool, agenda=Agenda(*(_doubled(array) for array in state.agenda)))


def with_samples(state: State) -> State:
    """The same state with room for twice as many response times."""
    sample, path = _doubled(state.responses.sample), _doubled(state.responses.path)
    return state._replace(responses=state.responses._replace(sample=sample, path=path))


def _doubled(array: Any) -> Any:
    return np.concatenate([array, np.zeros(max(array.size, _FIRST_SIZE), array.dtype)])


def _zeros(kind: type[Arrays], size: int) -> Arrays:
    types = get_type_hints(kind).values()
    return kind(*(np.zeros(size, _DTYPES[hint]) for hint in types))
