"""Service of an event by an instance of a function, in an application's simulation."""

from __future__ import annotations

import numpy as np

from algorithms.core.compiled import inlined, kernel
from algorithms.core.keyed_draws import GAMMA, gamma, unit
from algorithms.core.portable_math import log
from algorithms.simulation.application_agenda import schedule
from algorithms.simulation.application_measures import sum_until
from algorithms.simulation.application_network import Network
from algorithms.simulation.application_state import State


@inlined
def exponential(key: np.uint64) -> float:
    """An exponential draw with mean 1."""
    return -log(unit(key))


@inlined
def begin_service(
    network: Network, state: State, f: int, event: int, slot: int, now: float
) -> None:
    """Let an instance, named by its bit, begin to serve an event of its function."""
    functions, pool = state.functions, state.pool
    sum_until(functions, f, now)
    functions.serving[f] += 1
    functions.waited[f] += now - pool.arrived[event]
    pool.slot[event] = slot
    service = network.mean_service[f] * _service(network.shape[f], pool.key[event])
    pool.service[event] = service
    schedule(state.agenda, state.counters, now + service, event)


@kernel
def _service(shape: float, key: np.uint64) -> float:
    """Service time of an event, in mean service times."""
    if shape == 0.0:
        return 1.0
    if shape == 1.0:
        return exponential(key + GAMMA)
    return gamma(key + GAMMA, shape) / shape
