"""Ways to deploy strategies, and to place the partitions of counting ones: prefixes and suffix.

The strategies of such names are derived from those of `algorithms.autoscaling.strategies`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from algorithms.autoscaling.arguments import Argument
from algorithms.autoscaling.strategy import ASSIGNOR, COUNTING, PACKING, Strategy
from algorithms.autoscaling.strategy_list import PACKAGE, SYNCED, TO_ZERO
from algorithms.core.input_errors import UnknownAlgorithmError

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
        "keda_time_lag": "is KEDA and the pod autoscaler already",
        "mpc": "plans with compiled code, which the scaler does not load",
        "dqn": "needs a trained policy, which the scaler does not load",
    }
)
"""Counting strategies that KEDA's forms do not deploy, and why. `CONTROLLER` deploys those that are
not KEDA themselves."""

PLACEMENT = "+placement"
"""Suffix of counting strategies: the group's partitions are placed by rate, with few moves, instead
of by its assignor."""

DERIVED_PATTERNS = (
    f"NAME{PLACEMENT} (NAME is a counting strategy)",
    *(f"{form}:NAME" for form in FORMS),
    f"{CONTROLLER}:NAME{PLACEMENT}",
)
_EVERY_FORM = (*FORMS, CONTROLLER)
_KEDAS = ("keda_hpa", "keda_prometheus", "keda_time_lag")
_PLACED = f"{PACKAGE}.placed_counts"
_LOOK = Argument("look_s", 5.0, above=0.0)
_DEPLOYED_TAKES = (_LOOK, *SYNCED, *TO_ZERO)
_CONTROLLED_GROUP = (
    ("protocol", "incremental"),
    *((name, 0.0) for name in ("heartbeat_s", "second_heartbeat_s", "assignment_interval_s")),
    *(("commit_s", 0.0), ("in_flight_s", 0.0), ("static_members", False)),
)
"""No rebalance of Kafka's: only partitions that move wait. Consumers report their progress, and
leave with nothing in flight."""
_PLACEMENT_NEEDS = ("rates", "owners", "replicas", "time")


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


def name_of(label: str) -> str:
    """Name of a candidate's strategy, without its parameters.

    >>> name_of("headroom:h=1.5"), name_of("keda_http:headroom:h=1.5")
    ('headroom', 'keda_http:headroom')
    """
    first, _, rest = label.partition(":")
    return f"{first}:{rest.partition(':')[0]}" if first in _EVERY_FORM and rest else first


def check(name: str, inner: Strategy | None) -> None:
    """Raise why a deployed form cannot run its strategy, if that one is known.

    inner: The strategy that `inner_of` names, as far as it is known.
    """
    form, own = name.partition(":")[0], inner_of(name) or ""
    if name in _EVERY_FORM:
        reason = "needs the strategy that decides"
    elif inner is None:
        return
    elif inner_of(own):
        reason = f"{own} is deployed already"
    else:
        reason = _not_controlled(inner) if form == CONTROLLER else _not_behind_keda(inner)
    placed = PLACEMENT if form == CONTROLLER else ""
    what = "decides on a count, and places by rate" if placed else "decides on a count"
    raise UnknownAlgorithmError(
        f"strategy {name!r}: {reason}; choose one that {what}, such as {form}:headroom{placed}"
    )


def _not_behind_keda(strategy: Strategy) -> str:
    own = strategy.name
    if strategy.family == PACKING:
        return f"{own} places partitions, which needs a controller"
    if strategy.family == ASSIGNOR:
        return f"{own} is an assignor, which members have"
    return f"{own} {NOT_DEPLOYED[own]}"


def _not_controlled(strategy: Strategy) -> str:
    own = strategy.name
    counting = own.removesuffix(PLACEMENT)
    if counting in _KEDAS:
        return f"{counting} {NOT_DEPLOYED[counting]}"
    if strategy.family == COUNTING:
        return f"{own} leaves placement to an assignor, which the controller does not have"
    if strategy.family == ASSIGNOR:
        return f"{own} is an assignor, which the controller does not have"
    return f"{own} names its consumers, and a StatefulSet removes those with the highest ordinals"


def behind_keda(name: str, counting: Strategy | None) -> Strategy | None:
    """The strategy of a name that begins with one of `FORMS`; None if there is none.

    counting: The strategy that `inner_of` names, as far as it is known.
    """
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


def under_controller(name: str, inner: Strategy | None) -> Strategy | None:
    """The strategy of a name that begins with `CONTROLLER`; None if there is none.

    inner: The strategy that `inner_of` names, as far as it is known.
    """
    if inner is None or inner.module != _PLACED or inner.name.removesuffix(PLACEMENT) in _KEDAS:
        return None
    return replace(
        inner,
        name=name,
        title=f"{inner.title}, under our controller",
        paper=f"{inner.paper}; Kubernetes, StatefulSet",
        module=f"{PACKAGE}.controlled_counts",
        decision_s=1.0,
        takes=(*inner.takes, _LOOK),
        settings=(("decides_s", inner.decision_s), *inner.settings),
        group=(*inner.group, *_CONTROLLED_GROUP),
    )


def placed(name: str, counting: Strategy | None) -> Strategy | None:
    """The strategy of a name that ends with `PLACEMENT`; None if there is none.

    counting: The strategy of the name without it, as far as it is known.
    """
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
