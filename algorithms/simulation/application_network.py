"""Constant arrays of an application's simulation: functions, routes of events, and sources.

A route is a source and the functions that an event has passed from there, up to the one where it
is. An event of a route goes on in the routes that are one function longer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.arrays import Floats, Longs
from algorithms.core.seeds import derive_seed
from algorithms.simulation.application_graph import Application, Path

Keys = NDArray[np.uint64]

NONE = -1
"""No path: the events of the route go on."""


class Network(NamedTuple):
    """What does not change during a simulation: F functions, R routes, S sources, W pieces."""

    mean_service: Floats
    shape: Floats
    """`mean_service`, `shape`: float64[F]: mean service time in s, and shape of its Gamma
    distribution: 1 exponential, 0 constant."""
    whole: Longs
    part: Floats
    """`whole`, `part`: int64[F], float64[F]: integer part of the selectivity, and the rest."""
    keys: Keys
    """uint64[F]: key of each function's draws."""
    route_function: Longs
    route_path: Longs
    """`route_function`, `route_path`: int64[R]: function at which a route ends; the path that it
    completes, `NONE` if events go on."""
    route_first: Longs
    route_last: Longs
    """`route_first`, `route_last`: int64[R]: routes ``first .. last - 1`` are one function
    longer."""
    source_keys: Keys
    """uint64[S]: key of each source's draws."""
    source_first: Longs
    source_last: Longs
    """`source_first`, `source_last`: int64[S]: routes ``first .. last - 1`` begin at a source."""
    piece_first: Longs
    piece_last: Longs
    """`piece_first`, `piece_last`: int64[S]: pieces ``first .. last - 1`` are a source's intervals
    of constant rate."""
    piece_begin: Floats
    piece_end: Floats
    piece_rate: Floats
    """`piece_begin`, `piece_end`, `piece_rate`: float64[W]: seconds and events/s."""
    piece_level: Floats
    """float64[W]: integral of the source's rate up to the end of the piece, events."""
    exponential: bool
    """Whether sources have exponential spacing, else constant."""
    spawn: int
    """Most events that one happening can create."""
    receiver_queue: int
    """Events that an instance fetches ahead; 0: instances share one queue."""


def make_network(
    application: Application, exponential: bool, seed: int, receiver_queue: int = 0
) -> Network:
    """Arrays of an application. Draws depend on names and seed, not on the order of functions."""
    functions = list(application.functions.values())
    cs = np.array([function.cs for function in functions])
    selectivity = np.array([function.selectivity for function in functions])
    whole = np.floor(selectivity).astype(np.int64)
    source_first, source_last, routes = _routes(application)
    outputs = [len(ends) * (int(whole[function]) + 1) for function, _, ends in routes]
    return Network(
        mean_service=np.array([1.0 / function.mu for function in functions]),
        shape=np.divide(1.0, cs * cs, out=np.zeros_like(cs), where=cs > 0.0),
        whole=whole,
        part=selectivity - whole,
        keys=_keys(seed, "function", application.functions),
        route_function=_longs(function for function, _, _ in routes),
        route_path=_longs(path for _, path, _ in routes),
        route_first=_longs(following.start for _, _, following in routes),
        route_last=_longs(following.stop for _, _, following in routes),
        source_keys=_keys(seed, "source", [source.name for source in application.sources]),
        source_first=source_first,
        source_last=source_last,
        **_pieces(application),
        exponential=exponential,
        spawn=max(*outputs, *(source_last - source_first).tolist()),
        receiver_queue=receiver_queue,
    )


def _keys(seed: int, kind: str, names: Iterable[str]) -> Keys:
    return np.array([derive_seed(seed, kind, name) for name in names], dtype=np.uint64)


def _longs(values: Iterable[int]) -> Longs:
    return np.array(list(values), dtype=np.int64)


def _routes(application: Application) -> tuple[Longs, Longs, list[tuple[int, int, range]]]:
    """First and last route of each source, and (function, path, longer routes) of each route."""
    names = list(application.functions)
    paths = {path: i for i, path in enumerate(application.paths)}
    routes: list[Path] = []
    begin = [len(routes)]
    for source in application.sources:
        routes.extend((target,) for target in source.targets)
        begin.append(len(routes))
    table = []
    for route in routes:
        first = len(routes)
        routes.extend((*route, name) for name in application.downstream(route[-1]))
        path = paths.get(route, NONE)
        table.append((names.index(route[-1]), path, range(first, len(routes))))
    return _longs(begin[:-1]), _longs(begin[1:]), table


def _pieces(application: Application) -> dict[str, Any]:
    """Columns of the pieces, in the order of the sources and of time."""
    rows = []
    begin = [0]
    for source in application.sources:
        time, level = 0.0, 0.0
        for seconds, rate in source.pieces:
            level += seconds * rate
            rows.append((time, time + seconds, rate, level))
            time += seconds
        begin.append(len(rows))
    columns = np.array(rows).T.copy()
    return {
        "piece_first": _longs(begin[:-1]),
        "piece_last": _longs(begin[1:]),
        "piece_begin": columns[0],
        "piece_end": columns[1],
        "piece_rate": columns[2],
        "piece_level": columns[3],
    }
