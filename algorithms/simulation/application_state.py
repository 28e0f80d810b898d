"""Changing arrays of an application's simulation, and how they grow.

Events are kept in a pool: an index serves for an event until it is completed, and then for another
one.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar, get_type_hints

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.simulation.application_network import Keys, Network

HELD, VACANT, SCHEDULED, SAMPLES = range(4)
"""Counters: entries of the agenda, free indices of the pool, happenings scheduled so far, and
response times so far."""

_FIRST_SIZE = 1024


class Pool(NamedTuple):
    """Events that are waiting or in service, and starts of instances that are due.

    Attributes
    ----------
    key : uint64[n]
        Key of the event's draws.
    born, arrived, service : float64[n]
        When its source event arrived, when it arrived here, and its service time; s.
    route : int64[n]
        Its route; ``-1 - function`` for the start of an instance.
    slot : int64[n]
        Bit of the instance that serves it or starts; 0 if that was removed.
    following : int64[n]
        The next event in the same queue.
    vacant : int64[n]
        Free indices; the counter `VACANT` says how many.
    """

    key: Keys
    born: Floats
    arrived: Floats
    service: Floats
    route: Longs
    slot: Longs
    following: Longs
    vacant: Longs


class Agenda(NamedTuple):
    """Completions and starts that are due: a binary heap, the next one first.

    Attributes
    ----------
    time : float64[n]
        Seconds.
    order : int64[n]
        Of those at one time, the one scheduled first comes first.
    event : int64[n]
        Index in the pool.
    """

    time: Floats
    order: Longs
    event: Longs


class Functions(NamedTuple):
    """State and measurements of F functions.

    Attributes
    ----------
    instances, idle : int64[F]
        Instances asked for; bits of those that are working and idle.
    head, tail : int64[F]
        First and last event of each queue.
    backlog, serving : int64[F]
        Events that are waiting or in service; those in service.
    summed : float64[F]
        Until when `backlog_s` and `busy` are summed up.
    backlog_s, waited, stayed : float64[F]
        Integral of the backlog, waiting times, and times until completion; sums since the start.
    arrivals, entered, completions : int64[F]
        Since the last decision; `entered` are the arrivals from sources.
    busy : float64[F]
        Instance-seconds of service since the last decision.
    last_arrival, gap_mean, gap_squares, service_mean, service_squares : float64[F]
        Since the last decision: time of the last arrival; mean and sum of squared deviations from
        it, of times between arrivals and of service times of completed events.
    """

    instances: Longs
    idle: Longs
    head: Longs
    tail: Longs
    backlog: Longs
    serving: Longs
    summed: Floats
    backlog_s: Floats
    waited: Floats
    stayed: Floats
    arrivals: Longs
    entered: Longs
    completions: Longs
    busy: Floats
    last_arrival: Floats
    gap_mean: Floats
    gap_squares: Floats
    service_mean: Floats
    service_squares: Floats


class Sources(NamedTuple):
    """State of S sources.

    Attributes
    ----------
    number, piece : int64[S]
        Number of the next event, from 0, and the piece that it is in.
    level, time : float64[S]
        Integral of the rate up to the next event, and its time, +inf after the last one.
    """

    number: Longs
    piece: Longs
    level: Floats
    time: Floats


class Responses(NamedTuple):
    """Response times along Q paths, in the order of completion.

    Attributes
    ----------
    sample, path : float64[n], int64[n]
        Response time in s, and the path; the counter `SAMPLES` says how many.
    total : float64[Q]
        Sum of the response times.
    interval, interval_events : int64[Q]
        Interval of 30 s of the last completion, and completions in it.
    interval_total, peak : float64[Q]
        Sum of the response times in that interval; greatest mean of the intervals before.
    """

    sample: Floats
    path: Longs
    total: Floats
    interval: Longs
    interval_events: Longs
    interval_total: Floats
    peak: Floats


class State(NamedTuple):
    """All that changes during a simulation; `counters` is int64[4], see `HELD`."""

    pool: Pool
    agenda: Agenda
    functions: Functions
    sources: Sources
    responses: Responses
    counters: Longs


_DTYPES = {Floats: np.float64, Longs: np.int64, Keys: np.uint64}

Arrays = TypeVar("Arrays", Pool, Agenda, Functions, Sources, Responses)


def make_state(network: Network, paths: int, instances: Longs) -> State:
    """State at time 0, before the first arrivals are drawn: all instances are idle.

    Parameters
    ----------
    network : Network
        The application.
    paths : int
        Number of paths Q.
    instances : int64[F]
        Instances that work from the start.
    """
    functions = _zeros(Functions, network.keys.size)
    functions.instances[:] = instances
    functions.idle[:] = (1 << instances) - 1
    sources = _zeros(Sources, network.source_keys.size)
    sources.number[:] = -1
    sources.piece[:] = network.piece_first
    responses = _zeros(Responses, paths)._replace(sample=np.zeros(0), path=np.zeros(0, np.int64))
    counters = np.zeros(4, np.int64)
    state = State(_zeros(Pool, 0), _zeros(Agenda, 0), functions, sources, responses, counters)
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
