"""An application of several functions: its graph, checked, and the paths of events through it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any, NamedTuple

from algorithms.autoscaling.collection_checks import (
    check_edges,
    check_list,
    check_mapping,
    check_pair,
)
from algorithms.autoscaling.number_checks import check_number
from algorithms.core.arrays import check_count
from algorithms.core.input_errors import InvalidParameterError

MAX_INSTANCES = 15
"""Instances that a function can have."""

MAX_ROUTES = 10_000
MAX_EVENTS = 2e8
"""Expected events at all functions of a simulation: beyond it, results would not fit in memory."""

_MIN_CV, _MAX_CV = 1e-6, 100.0
_MIN_MU, _MAX_MU = 1e-9, 1e9
_MAX_SELECTIVITY = 1000.0
_MAX_SECONDS = 1e9
_FIELDS = ("mu", "cs", "selectivity", "initial")

Edge = tuple[str, str]
Path = tuple[str, ...]


class Function(NamedTuple):
    """A function of an application."""

    mu: float
    """Events/s of one instance."""
    cs: float = 1.0
    """Coefficient of variation of service times: 0 constant, 1 exponential, else Gamma."""
    selectivity: float = 1.0
    """Events passed to each downstream function per event."""
    initial: int = 1
    """Instances at the start."""


class Piece(NamedTuple):
    """An interval in which a source has a constant rate, events/s."""

    seconds: float
    rate: float


class Source(NamedTuple):
    """A source of events: its rates, and the functions that each of its events goes to."""

    name: str
    pieces: tuple[Piece, ...]
    targets: tuple[str, ...]


class Application(NamedTuple):
    """A checked application."""

    functions: dict[str, Function]
    """In topological order, ties in the order given."""
    edges: tuple[Edge, ...]
    """Pairs of functions (from, to), in the order given."""
    sources: tuple[Source, ...]
    """In the order given."""
    paths: tuple[Path, ...]
    """Every way of an event from a source to a function without a downstream one."""

    @property
    def seconds(self) -> float:
        """End of the last source."""
        # Unlike `sum`, `fsum` has the same bits in all versions of Python.
        return max(math.fsum(piece.seconds for piece in source.pieces) for source in self.sources)

    @property
    def longest(self) -> int:
        """Index of the path whose functions take the most time per event; ties: the first."""
        times = [math.fsum(1.0 / self.functions[name].mu for name in path) for path in self.paths]
        return times.index(max(times))

    def mean_rate(self, begin: float, end: float) -> float:
        """Mean rate of all sources from one time to another, events/s."""
        parts = []
        for source in self.sources:
            start = 0.0
            for seconds, rate in source.pieces:
                parts.append(rate * max(min(end, start + seconds) - max(begin, start), 0.0))
                start += seconds
        return math.fsum(parts) / (end - begin)

    def downstream(self, name: str) -> list[str]:
        """Functions that get the events of a function, in the order of the edges."""
        return [end for start, end in self.edges if start == name]


def check_application(
    functions: Mapping[str, Mapping[str, Any]],
    edges: Iterable[tuple[str, str]],
    sources: Mapping[str, Sequence[tuple[float, float]]],
) -> Application:
    """Check an application; see `algorithms.simulation.simulate_application`.

    Raises InvalidParameterError also if edges have a cycle, or paths or events are too many.
    """
    by_name = check_mapping("functions", functions, "fields")
    checked = {name: _function(name, fields) for name, fields in by_name.items()}
    if not checked:
        raise InvalidParameterError("functions must name at least one function (got none)")
    if not check_mapping("sources", sources, "lists of (seconds, events/s)"):
        raise InvalidParameterError("sources must name at least one source (got none)")
    pairs = _edges(edges, checked, sources)
    inner = tuple(pair for pair in pairs if pair[0] in checked)
    feeding = tuple(_source(name, sources[name], checked, pairs) for name in sources)
    ordered = {name: checked[name] for name in _topological(checked, inner)}
    application = Application(ordered, inner, feeding, ())
    return application._replace(paths=_paths(application))


def _function(name: str, fields: Mapping[str, Any]) -> Function:
    where = f"functions[{name!r}]"
    check_mapping(where, fields, "values")
    unknown = [field for field in fields if field not in _FIELDS]
    if unknown or "mu" not in fields:
        raise InvalidParameterError(
            f"{where} must have mu, and may have {', '.join(_FIELDS[1:])} (got {list(fields)})"
        )
    function = Function(**fields)
    cs = check_number(f"{where}: cs", function.cs, at_least=0.0, at_most=_MAX_CV)
    if 0.0 < cs < _MIN_CV:
        raise InvalidParameterError(f"{where}: cs must be 0 or at least {_MIN_CV:g} (got {cs})")
    passed = function.selectivity
    return Function(
        check_number(f"{where}: mu", function.mu, at_least=_MIN_MU, at_most=_MAX_MU),
        cs,
        check_number(f"{where}: selectivity", passed, at_least=0.0, at_most=_MAX_SELECTIVITY),
        check_count(f"{where}: initial", function.initial, 1, MAX_INSTANCES),
    )


def _edges(
    edges: Iterable[tuple[str, str]],
    functions: Mapping[str, Function],
    sources: Mapping[str, object],
) -> tuple[Edge, ...]:
    pairs = check_edges(edges)
    for start, end in pairs:
        if start not in functions and start not in sources:
            raise InvalidParameterError(
                f"edges must begin at a function or source (got {(start, end)}); "
                f"known: {', '.join([*functions, *sources])}"
            )
        if end not in functions:
            raise InvalidParameterError(
                f"edges must end at a function (got {(start, end)}); known: {', '.join(functions)}"
            )
    repeated = [pair for pair, number in Counter(pairs).items() if number > 1]
    if repeated:
        raise InvalidParameterError(
            f"edges must differ (got {repeated[0]} more than once); remove one"
        )
    return pairs


def _source(
    name: str,
    pieces: Sequence[tuple[float, float]],
    functions: Mapping[str, Function],
    edges: tuple[Edge, ...],
) -> Source:
    where = f"sources[{name!r}]"
    targets = (name,) if name in functions else tuple(end for start, end in edges if start == name)
    if not targets:
        raise InvalidParameterError(
            f"{where} must be a function, or the beginning of an edge to one"
        )
    parts = check_list(where, pieces, "(seconds, events/s)")
    if not parts:
        raise InvalidParameterError(f"{where} must have at least one (seconds, events/s) (got 0)")
    checked = []
    for i, piece in enumerate(parts):
        at = f"{where}[{i}]"
        seconds, rate = check_pair(at, "(seconds, events/s)", piece)
        length = check_number(f"{at}: seconds", seconds, above=0.0, at_most=_MAX_SECONDS)
        checked.append(Piece(length, check_number(f"{at}: events/s", rate, at_least=0.0)))
    return Source(name, tuple(checked), targets)


def _topological(functions: Mapping[str, Function], edges: tuple[Edge, ...]) -> list[str]:
    """Functions ordered such that edges lead forward; of those that could be next, the first.

    Kahn 1962, with a heap of the places of those that could be next. O((F + E) log F).
    """
    names = list(functions)
    places = {name: place for place, name in enumerate(names)}
    missing, following = Counter(end for _, end in edges), defaultdict[str, list[str]](list)
    for start, end in edges:
        following[start].append(end)
    ready = [place for place, name in enumerate(names) if not missing[name]]
    ordered: list[str] = []
    while ready:
        ordered.append(names[heappop(ready)])
        for end in following[ordered[-1]]:
            missing[end] -= 1
            if not missing[end]:
                heappush(ready, places[end])
    if len(ordered) < len(names):
        waiting = [name for name in names if missing[name]]
        raise InvalidParameterError(
            f"edges must not have a cycle (got one among {', '.join(waiting)}); remove an edge"
        )
    return ordered


def _paths(application: Application) -> tuple[Path, ...]:
    paths: dict[Path, None] = {}
    routes, events = 0, 0.0
    for source in application.sources:
        rated = math.fsum(piece.seconds * piece.rate for piece in source.pieces)
        reached: list[tuple[Path, float]] = [((target,), rated) for target in source.targets]
        for path, expected in reached:
            routes += 1
            events += expected
            _check_size(routes, events)
            following = application.downstream(path[-1])
            if not following:
                paths[path] = None
            passed = expected * application.functions[path[-1]].selectivity
            reached.extend(((*path, name), passed) for name in following)
    return tuple(paths)


def _check_size(routes: int, events: float) -> None:
    if routes > MAX_ROUTES:
        raise InvalidParameterError(
            f"edges must give at most {MAX_ROUTES} beginnings of paths (got more)"
        )
    if not events <= MAX_EVENTS:
        raise InvalidParameterError(
            f"sources must give at most {MAX_EVENTS:g} expected events at all functions "
            f"(got more); lower the rates or the seconds"
        )
