"""DS2: replicas by the rates that functions could process if nothing upstream held them back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from algorithms.autoscaling import totals
from algorithms.autoscaling.collection_checks import check_edges, check_mapping
from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.number_checks import check_number
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Longs, check_count
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError

_MOST = 2**31 - 1
_SLACK = 1e-9


def plan(
    functions: Mapping[str, Mapping[str, float]],
    edges: Iterable[tuple[str, str]],
    sources: Mapping[str, float],
    k_max: int | None = None,
) -> dict[str, int]:
    """Replicas of each function for the rates of the sources.

    functions: In topological order: ``rate_true``, the rate of one busy replica, events/s, and
        optionally ``selectivity``, events passed to each downstream function per event (1).
    edges: Functions that pass their events on.
    sources: Events/s that functions get from outside; 0 for those not named.
    Returns: replicas of every function, at least 1, in the order of `functions`.
    Raises InvalidParameterError also if an edge does not go to a later function.

    Kalavri et al. 2018, as in Russo Russo 2021. The input of a function is its source rate plus,
    in the order of `edges`, the input of each upstream function times its selectivity. The number
    of replicas is ``ceil(input / rate_true - 1e-9)``. O(functions + edges).

    >>> functions = {
    ...     "parse": {"rate_true": 100.0, "selectivity": 3.0},
    ...     "count": {"rate_true": 250.0, "selectivity": 0.0},
    ... }
    >>> plan(functions, [("parse", "count")], {"parse": 250.0})
    {'parse': 3, 'count': 3}
    """
    most = _MOST if k_max is None else check_count("k_max", k_max, 1, _MOST)
    by_name = check_mapping("functions", functions, "fields")
    order = {name: place for place, name in enumerate(by_name)}
    upstream = _upstream(order, edges)
    inputs = dict.fromkeys(functions, 0.0)
    for name, rate in check_mapping("sources", sources, "events/s").items():
        inputs[_known(order, name, "sources")] = check_number(
            f"rate of source {name}", rate, at_least=0.0
        )
    replicas = {}
    for name, fields in by_name.items():
        check_mapping(f"fields of function {name}", fields, "values")
        if "rate_true" not in fields:
            raise InvalidParameterError(f"rate_true of function {name} is required")
        for earlier in upstream[name]:
            inputs[name] += inputs[earlier] * _selectivity(earlier, functions[earlier])
        true = check_number(f"rate_true of function {name}", fields["rate_true"], above=0.0)
        _selectivity(name, fields)
        needed = min(inputs[name] / true, float(_MOST))
        replicas[name] = min(max(math.ceil(needed - _SLACK), 1), most)
    return replicas


def _selectivity(name: str, fields: Mapping[str, float]) -> float:
    value = fields.get("selectivity", 1.0)
    return check_number(f"selectivity of function {name}", value, at_least=0.0)


def _known(order: Mapping[str, int], name: str, where: str) -> str:
    if name not in order:
        raise InvalidParameterError(
            f"unknown function {name!r} in {where}; choose one of {', '.join(order)}"
        )
    return name


def _upstream(order: Mapping[str, int], edges: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {name: [] for name in order}
    for earlier, later in check_edges(edges):
        if order[_known(order, earlier, "edges")] >= order[_known(order, later, "edges")]:
            raise InvalidParameterError(
                "edges must go from an earlier to a later function, in the order of functions "
                f"(got {earlier} to {later})"
            )
        result[later].append(earlier)
    return result


class Ds2(NamedTuple):
    """State of the strategy ``ds2``: the true rate of one replica, events/s."""

    partitions: int
    mu: float


def start(group: Group) -> Ds2:
    """Start ``ds2`` for a group as one function: ``ceil(total rate / mu)`` replicas.

    Kalavri et al. 2018. Ignores lag. The quotient is lowered by 1e-9 before it is rounded up; at
    least 1. O(P).
    """
    return Ds2(group.partitions, group.mu)


@decides(Ds2)
@kernel
def _decide(state: Ds2, seen: Seen, after: Longs) -> tuple[int, int]:
    return totals.count_of(totals.total(seen.rates) / state.mu), 0
