"""Registry of autoscaling strategies; also imported as `algorithms.autoscaling.registry`.

To add one, write a module with a state, a kernel and a ``start`` function, and an entry in
`algorithms.autoscaling.strategy_list`.
Reading names, titles and arguments is cheap: kernels and Numba are imported only at the first
start. Every algorithm of `algorithms.assignment.registry` is a strategy under its own name, so is
every assignor, with constant replicas. Every counting strategy with the suffix `PLACEMENT` places
the partitions itself.
"""

from __future__ import annotations

from algorithms.assignment import registry as assignment_registry
from algorithms.autoscaling import derived_strategies, sweeps
from algorithms.autoscaling.derived_strategies import (
    CONTROLLER,
    DERIVED_PATTERNS,
    FORMS,
    NOT_DEPLOYED,
    PLACEMENT,
    inner_of,
    is_controlled,
    name_of,
)
from algorithms.autoscaling.strategy import PACKING, Strategy
from algorithms.autoscaling.strategy_list import F_UP, PACKAGE, STRATEGIES, SYNCED
from algorithms.core.input_errors import InvalidParameterError, UnknownAlgorithmError, near

__all__ = [
    "CONTROLLER",
    "DERIVED_PATTERNS",
    "FORMS",
    "NOT_DEPLOYED",
    "PLACEMENT",
    "get",
    "inner_of",
    "is_controlled",
    "is_synced",
    "known_patterns",
    "name_of",
    "names",
    "register",
]

_STRATEGIES: dict[str, Strategy] = {}


def register(strategy: Strategy) -> None:
    """Add a strategy to the registry.

    Its name must be free, and none of `algorithms.assignment.registry`.
    """
    name = strategy.name
    if _find(name) is not None:
        raise InvalidParameterError(f"strategy {name!r} is already registered; choose another name")
    _STRATEGIES[name] = strategy


def get(name: str) -> Strategy:
    """Return the strategy of a name.

    name: One of `names`; a counting strategy with `PLACEMENT`, as ``linear+placement``, also after
        `CONTROLLER`; or after one of `FORMS`, as ``keda_http:linear``; or a name that
        `algorithms.assignment.registry.get` accepts, as ``kd_3``, ``SR_0.4`` or ``BFD+M``.
    Raises UnknownAlgorithmError if the name is unknown; the message lists the known ones.

    >>> get("linear").family, get("BFD").family
    ('counting', 'packing')
    """
    strategy = _find(name)
    if strategy is None:
        derived_strategies.check(name, _find(inner_of(name) or ""))
        known = known_patterns()
        raise UnknownAlgorithmError(
            f"unknown strategy {name!r}{near(name, known)}; choose one of {', '.join(known)}"
        )
    return strategy


def names() -> tuple[str, ...]:
    """Names of all strategies without a parameter, in display order."""
    return (*_STRATEGIES, *assignment_registry.names())


def known_patterns() -> tuple[str, ...]:
    """Every name that `get` accepts, for messages; a family with a parameter is one entry."""
    return (*_STRATEGIES, *assignment_registry.known_patterns(), *DERIVED_PATTERNS)


def _find(name: str) -> Strategy | None:
    own = inner_of(name)
    # Else the name would be that of a function in a user's own module.
    if own is not None:
        if is_controlled(name):
            return derived_strategies.under_controller(name, _STRATEGIES.get(own) or _placed(own))
        return derived_strategies.behind_keda(name, _STRATEGIES.get(own))
    return _STRATEGIES.get(name) or _placed(name) or _packing_algorithm(name)


def _placed(name: str) -> Strategy | None:
    return derived_strategies.placed(name, _STRATEGIES.get(name.removesuffix(PLACEMENT)))


def is_synced(name: str) -> bool:
    """Whether a strategy is simulated with the syncs of a pod autoscaler that passes its count on.

    >>> is_synced("keda_http:headroom"), is_synced("keda_prometheus"), is_synced("headroom")
    (True, True, False)
    """
    return SYNCED[0].name in get(name).arguments


def _packing_algorithm(name: str) -> Strategy | None:
    try:
        algorithm = assignment_registry.get(name)
    except UnknownAlgorithmError:
        return None
    return Strategy(
        name=algorithm.name,
        title=algorithm.title,
        family=PACKING,
        paper=algorithm.paper,
        module=f"{PACKAGE}.packing_algorithm",
        takes=(F_UP,),
        needs=("rates", "owners"),
        settings=(("algorithm", algorithm.name),),
        sweep=sweeps.UPPER_UTILIZATIONS,
    )


for _strategy in STRATEGIES:
    register(_strategy)
