"""The events that a simulated application would see, drawn ahead: for an application that is real.

Arrivals and service times are those of `algorithms.simulation.simulate_application` for the same
seed and names, so a run on a real system and its simulation differ in the system alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.keyed_draws import GAMMA, gamma, mix, unit
from algorithms.core.portable_math import log
from algorithms.simulation.application_graph import Application
from algorithms.simulation.application_network import Keys, make_network


class DrawnEvents(NamedTuple):
    """The n events of an application's only source, and their times at F functions."""

    times: Floats
    """float64[n]: when they are due, s, ascending."""
    services: Floats
    """float64[n, F]: service times at each function, s."""


def drawn_events(application: Application, exponential: bool, seed: int) -> DrawnEvents:
    """Draw the events of an application.

    exponential: Whether the source has exponential spacing, else constant.
    Raises InvalidParameterError if there is not one source, or a function has a selectivity other
    than 1 or is reached in several ways. O(n F).
    """
    parents = _parents(application)
    network = make_network(application, exponential, seed)
    pieces = application.sources[0].pieces
    most = math.fsum(piece.seconds * piece.rate for piece in pieces)
    room = int(most + 10.0 * math.sqrt(most) + 100.0)
    gaps = np.ones(room)
    if exponential:
        _draw_gaps(network.source_keys[0], gaps)
    else:
        gaps[0] = 0.5
    levels = np.cumsum(gaps)
    times = _times(application, levels[levels < most])
    services = np.empty((times.size, len(parents)))
    _draw_services(
        network.source_keys[0],
        network.keys,
        np.array(parents, dtype=np.int64),
        network.mean_service,
        network.shape,
        np.empty(len(parents), dtype=np.uint64),
        services,
    )
    return DrawnEvents(times, services)


def _parents(application: Application) -> list[int]:
    """Index of the function that passes its events to each function, -1 for the source."""
    names = list(application.functions)
    ways = [("", name) for source in application.sources for name in source.targets]
    ways += application.edges
    if len(application.sources) != 1 or sorted(end for _, end in ways) != sorted(names):
        raise InvalidParameterError(
            "edges must lead from one source to every function in one way "
            f"(got {len(application.sources)} sources and {len(ways)} ways to {len(names)})"
        )
    for name, function in application.functions.items():
        if function.selectivity != 1.0:
            raise InvalidParameterError(
                f"functions[{name!r}]: selectivity must be 1 (got {function.selectivity})"
            )
    before = {end: start for start, end in ways}
    return [names.index(before[name]) if before[name] else -1 for name in names]


def _times(application: Application, levels: Floats) -> Floats:
    """Times at which the integral of the source's rate reaches each level."""
    pieces = application.sources[0].pieces
    ends = np.cumsum([piece.seconds for piece in pieces])
    reached = np.cumsum([piece.seconds * piece.rate for piece in pieces])
    place = np.searchsorted(reached, levels, side="right")
    begins, before = np.concatenate(([0.0], ends))[place], np.concatenate(([0.0], reached))[place]
    rates = np.array([piece.rate for piece in pieces])[place]
    times: Floats = np.minimum(begins + (levels - before) / rates, ends[place])
    return times


@kernel
def _draw_gaps(source: np.uint64, gaps: Floats) -> None:
    for number in range(gaps.shape[0]):
        gaps[number] = -log(unit(mix(source + np.uint64(number + 1) * GAMMA)))


@kernel
def _draw_services(
    source: np.uint64,
    keys: Keys,
    parents: Longs,
    means: Floats,
    shapes: Floats,
    own: Keys,
    services: Floats,
) -> None:
    functions = keys.shape[0]
    for number in range(services.shape[0]):
        first = mix(source + np.uint64(number + 1) * GAMMA)
        for f in range(functions):
            before = first if parents[f] < 0 else own[parents[f]]
            own[f] = mix(mix(before + keys[f]) + GAMMA)
            services[number, f] = means[f] * _service(shapes[f], own[f] + GAMMA)


@kernel
def _service(shape: float, key: np.uint64) -> float:
    if shape == 0.0:
        return 1.0
    if shape == 1.0:
        return -log(unit(key))
    return gamma(key, shape) / shape
