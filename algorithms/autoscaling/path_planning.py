"""Replicas of the functions of an application by bounds of the response time along paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from algorithms.autoscaling.collection_checks import check_list, check_mapping, check_path
from algorithms.autoscaling.number_checks import check_number
from algorithms.autoscaling.response_times import MAX_REPLICAS, check_queue, mean_response
from algorithms.core.arrays import check_count
from algorithms.core.input_errors import InvalidParameterError


class _Function(NamedTuple):
    replicas: int
    response: float


def plan_paths(
    functions: Mapping[str, Mapping[str, float]],
    paths: Sequence[Sequence[str]],
    r_max: float,
    alpha: float = 0.5,
    k_max: int = 15,
) -> dict[str, int]:
    """Replicas of the functions of an application, by a bound of the response time along paths.

    A path above the bound adds a replica to its function with the longest response time, among
    those below `k_max`. A path below `alpha` times the bound takes one from its function with the
    shortest response time, among those with more than one.

    functions: ``lambda`` and ``mu`` in events/s, ``k`` replicas, and optionally ``ca`` and ``cs``
        (1).
    paths: Names of the functions of each path, in order.
    r_max: Bound of the sum of mean response times along each path, seconds.
    alpha: Share of the bound below which a replica is removed; at least 0 and at most 1.
    k_max: Number of replicas from which none is added.

    Russo Russo 2021, policy for paths. Response times are those of the given replicas; see
    `algorithms.autoscaling.queueing.response_time`. A function changes by one at most, and growing
    has priority. Ties go to the first function on the path. O(functions + length of all paths).

    >>> functions = {
    ...     "store": {"lambda": 5.0, "mu": 20.0, "ca": 1.0, "cs": 1.0, "k": 2},
    ...     "shrink": {"lambda": 9.0, "mu": 10.0, "ca": 1.0, "cs": 1.0, "k": 1},
    ... }
    >>> plan_paths(functions, [["store"], ["store", "shrink"]], r_max=0.5)
    {'store': 1, 'shrink': 2}
    """
    bound = check_number("r_max", r_max, above=0.0)
    low = check_number("alpha", alpha, at_least=0.0, at_most=1.0) * bound
    most = check_count("k_max", k_max, 1, MAX_REPLICAS)
    by_name = check_mapping("functions", functions, "fields")
    states = {name: _function(name, fields) for name, fields in by_name.items()}
    grown, shrunk = set(), set()
    for path in check_list("paths", paths, "paths"):
        steps = [_of(states, name) for name in check_path(path)]
        time = 0.0
        for _, state in steps:
            time += state.response
        if time > bound:
            growing = [(name, state) for name, state in steps if state.replicas < most]
            if growing:
                grown.add(max(growing, key=lambda step: step[1].response)[0])
        elif time < low:
            shrinking = [(name, state) for name, state in steps if state.replicas > 1]
            if shrinking:
                shrunk.add(min(shrinking, key=lambda step: step[1].response)[0])
    return {
        name: state.replicas + (1 if name in grown else -1 if name in shrunk else 0)
        for name, state in states.items()
    }


def _of(states: Mapping[str, _Function], name: Any) -> tuple[str, _Function]:
    if not isinstance(name, str) or name not in states:
        raise InvalidParameterError(
            f"unknown function {name!r} in paths; choose one of {', '.join(states)}"
        )
    return name, states[name]


def _function(name: str, fields: Mapping[str, float]) -> _Function:
    check_mapping(f"fields of function {name}", fields, "values")
    for field in ("lambda", "mu", "k"):
        if field not in fields:
            raise InvalidParameterError(f"{field} of function {name} is required")
    queue = check_queue(
        f" of function {name}",
        fields["lambda"],
        fields["mu"],
        fields.get("ca", 1.0),
        fields.get("cs", 1.0),
    )
    k = fields["k"]
    servers = check_count(f"k of function {name}", k, 1, MAX_REPLICAS)  # type: ignore[arg-type]
    rate, mu, square_a, square_s = queue
    return _Function(servers, float(mean_response(rate, mu, servers, square_a, square_s)))
