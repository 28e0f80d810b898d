"""Registry of autoscaling strategies; also imported as `algorithms.autoscaling.registry`.

To add one, write a module with a state, a kernel and a ``start`` function, and an entry in
`algorithms.autoscaling.strategy_list`.
Reading names, titles and arguments is cheap: kernels and Numba are imported only at the first
start. Every algorithm of `algorithms.assignment.registry` is a strategy under its own name, so is
every assignor, with constant replicas. Every counting strategy with the suffix `PLACEMENT` places
the partitions itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from algorithms.assignment import registry as assignment_registry
from algorithms.autoscaling import sweeps
from algorithms.autoscaling.arguments import Argument
from algorithms.autoscaling.strategy import ASSIGNOR, COUNTING, PACKING, Strategy
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

FORMS = ("keda_http", "keda_external")
"""Ways to deploy a counting strategy through KEDA, written before its name, ``keda_http:linear``.
Both triggers ask `groupscale scaler`, so both give the same replicas."""

CONTROLLER = "controller"
"""The way to deploy a strategy that decides on a count and places, ``controller:linear+placement``:
our controller scales a StatefulSet itself."""

NOT_DEPLOYED: Mapping[str, str] = MappingProxyType(
    {
        "keda_hpa": "is KEDA and the pod autoscaler already",
        "keda_prometheus": "is KEDA and the pod autoscaler already",
        "mpc": "plans with compiled code, which the scaler does not load",
        "dqn": "needs a trained policy, which the scaler does not load",
    }
)
"""Counting strategies that KEDA's forms do not deploy, and why. `CONTROLLER` deploys those that are
not KEDA themselves."""

PLACEMENT = "+placement"
"""Suffix of counting strategies: the group's partitions are placed by rate, with few moves, instead
of by its assignor."""

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
        _check_form(name)
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
    # Else the name would be that of a function in a user's own module.
    form = name.partition(":")[0]
    if form in FORMS:
        return _deployed(name)
    if form == CONTROLLER:
        return _controlled(name)
    return _STRATEGIES.get(name) or _placed(name) or _packing_algorithm(name)


def inner_of(name: str) -> str | None:
    """Name of the strategy that a deployed form runs; None for other strategies.

    >>> inner_of("keda_http:headroom"), inner_of("headroom")
    ('headroom', None)
    """
    form, colon, own = name.partition(":")
    return own if colon and form in _EVERY_FORM else None


def is_controlled(name: str) -> bool:
    """Whether a strategy is simulated under our controller, which scales a StatefulSet.

    >>> is_controlled("controller:linear+placement"), is_controlled("linear+placement")
    (True, False)
    """
    return name.startswith(f"{CONTROLLER}:")


def is_synced(name: str) -> bool:
    """Whether a strategy is simulated with the syncs of a pod autoscaler that passes its count on.

    >>> is_synced("keda_http:headroom"), is_synced("keda_prometheus"), is_synced("headroom")
    (True, True, False)
    """
    return SYNCED[0].name in get(name).arguments


def name_of(label: str) -> str:
    """Name of a candidate's strategy, without its parameters.

    >>> name_of("headroom:h=1.5"), name_of("keda_http:headroom:h=1.5")
    ('headroom', 'keda_http:headroom')
    """
    first, _, rest = label.partition(":")
    return f"{first}:{rest.partition(':')[0]}" if first in _EVERY_FORM and rest else first


def _check_form(name: str) -> None:
    """Raise why a deployed form cannot run its strategy, if that one is known."""
    form, own = name.partition(":")[0], inner_of(name) or ""
    if name in _EVERY_FORM:
        reason: str | None = "needs the strategy that decides"
    elif inner_of(own) and _find(own) is not None:
        reason = f"{own} is deployed already"
    else:
        reason = _not_controlled(own) if form == CONTROLLER else _not_behind_keda(own)
    if reason is None:
        return
    placed = PLACEMENT if form == CONTROLLER else ""
    what = "decides on a count, and places by rate" if placed else "decides on a count"
    raise UnknownAlgorithmError(
        f"strategy {name!r}: {reason}; choose one that {what}, such as {form}:headroom{placed}"
    )


def _not_behind_keda(own: str) -> str | None:
    strategy = _find(own)
    if strategy is None:
        return None
    if strategy.family == PACKING:
        return f"{own} places partitions, which needs a controller"
    if strategy.family == ASSIGNOR:
        return f"{own} is an assignor, which members have"
    return f"{own} {NOT_DEPLOYED[own]}"


def _not_controlled(own: str) -> str | None:
    strategy = _find(own)
    if strategy is None:
        return None
    counting = own.removesuffix(PLACEMENT)
    if counting in _KEDAS:
        return f"{counting} {NOT_DEPLOYED[counting]}"
    if strategy.family == COUNTING:
        return f"{own} leaves placement to an assignor, which the controller does not have"
    if strategy.family == ASSIGNOR:
        return f"{own} is an assignor, which the controller does not have"
    return f"{own} names its consumers, and a StatefulSet removes those with the highest ordinals"


def _deployed(name: str) -> Strategy | None:
    counting = _STRATEGIES.get(inner_of(name) or "")
    if counting is None or counting.family != COUNTING or counting.name in NOT_DEPLOYED:
        return None
    return replace(
        counting,
        name=name,
        title=f"{counting.title}, through KEDA",
        paper=f"{counting.paper}; Kubernetes, autoscaling/v2",
        module=f"{PACKAGE}.deployed_counts",
        decision_s=1.0,
        takes=(*counting.takes, *_DEPLOYED_TAKES),
        needs=tuple(dict.fromkeys((*counting.needs, "rates", "replicas", "time"))),
        settings=(
            ("counting", counting.module),
            ("decides_s", counting.decision_s),
            *counting.settings,
        ),
        placed_settings=(),
    )


def _controlled(name: str) -> Strategy | None:
    own = inner_of(name) or ""
    placed = _STRATEGIES.get(own) or _placed(own)
    if placed is None or placed.module != _PLACED or own.removesuffix(PLACEMENT) in _KEDAS:
        return None
    return replace(
        placed,
        name=name,
        title=f"{placed.title}, under our controller",
        paper=f"{placed.paper}; Kubernetes, StatefulSet",
        module=f"{PACKAGE}.controlled_counts",
        decision_s=1.0,
        takes=(*placed.takes, _LOOK),
        settings=(("decides_s", placed.decision_s), *placed.settings),
        group=_CONTROLLED_GROUP,
    )


def _placed(name: str) -> Strategy | None:
    counting = _STRATEGIES.get(name.removesuffix(PLACEMENT))
    if counting is None or counting.family != COUNTING or not name.endswith(PLACEMENT):
        return None
    settings = {**dict(counting.settings), **dict(counting.placed_settings)}
    return replace(
        counting,
        name=name,
        title=f"{counting.title}, partitions placed by rate",
        family=PACKING,
        paper=f"{counting.paper}; placement: Groupscale",
        module=_PLACED,
        needs=tuple(dict.fromkeys((*counting.needs, *_PLACEMENT_NEEDS))),
        settings=(("counting", counting.module), *settings.items()),
        placed_settings=(),
    )


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


DERIVED_PATTERNS = (
    f"NAME{PLACEMENT} (NAME is a counting strategy)",
    *(f"{form}:NAME" for form in FORMS),
    f"{CONTROLLER}:NAME{PLACEMENT}",
)
_EVERY_FORM = (*FORMS, CONTROLLER)
_KEDAS = ("keda_hpa", "keda_prometheus")
_PLACED = f"{PACKAGE}.placed_counts"
_LOOK = Argument("look_s", 5.0, above=0.0)
_DEPLOYED_TAKES = (_LOOK, *SYNCED)
_CONTROLLED_GROUP = (
    ("protocol", "incremental"),
    *((name, 0.0) for name in ("heartbeat_s", "second_heartbeat_s", "assignment_interval_s")),
    *(("commit_s", 0.0), ("in_flight_s", 0.0), ("static_members", False)),
)
"""No rebalance of Kafka's: only partitions that move wait. Consumers report their progress, and
leave with nothing in flight."""
_PLACEMENT_NEEDS = ("rates", "owners", "replicas", "time")

for _strategy in STRATEGIES:
    register(_strategy)
