"""Names of the strategies that a live run can measure, and who carries each of them out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named

CLASSIC, KIP_848 = "classic", "848"
"""Rebalance protocols of Kafka's own groups: cooperative-sticky, and KIP-848 with ``uniform``."""

KEDA = "keda"

ASSIGNOR = "sticky"
"""Assignor of the classic groups' members."""

MOST_MEMBERS = 40
"""Greatest number of consumers of a live run."""

EXTERNAL = "keda_external"
ASKED = ("keda_http", EXTERNAL)
"""Deployed forms whose count KEDA asks of a scaler: over HTTP, over gRPC."""

PROMETHEUS = "keda_prometheus"
"""The deployed form whose count KEDA computes of a Prometheus' answer."""

DEPLOYED = (*ASKED, PROMETHEUS)

ASKING = "asking:"
"""Before a strategy whose count and placement a group of Kafka gets through its own assignor."""

_FIXED = re.compile(r"kafka_(classic|848)_([1-9][0-9]{0,3})", re.ASCII)
_OWN = ("kafka_classic_n", "kafka_848_n", "keda", f"{ASKING}STRATEGY")
_SCALING = "a strategy of autoscaling, such as headroom+placement or keda_hpa:threshold=50"


@dataclass(frozen=True, slots=True)
class Controlled:
    """An algorithm that the controller runs."""

    name: str
    """Name of the algorithm in the registry."""


@dataclass(frozen=True, slots=True)
class Scaled:
    """A strategy of the family `autoscaling` that the controller runs."""

    label: str
    """The strategy with its parameters, as that family writes it."""


@dataclass(frozen=True, slots=True)
class FixedGroup:
    """A group of Kafka with a constant number of members."""

    protocol: str
    """``classic`` or ``848``."""
    members: int
    """Number of members n."""


@dataclass(frozen=True, slots=True)
class KedaGroup:
    """A group of Kafka whose number of members follows its lag."""

    protocol: str = CLASSIC
    """``classic``, the default of Kafka's clients."""


@dataclass(frozen=True, slots=True)
class DeployedGroup:
    """A group of Kafka whose number of members follows a strategy through KEDA."""

    form: str
    """One of `DEPLOYED`."""
    label: str
    """The form and its strategy with their parameters, as the family `autoscaling` writes them."""
    protocol: str = CLASSIC
    """``classic``, the default of Kafka's clients."""


@dataclass(frozen=True, slots=True)
class AskingGroup:
    """A group of Kafka whose leader's assignor asks the run, which has a strategy decide."""

    label: str
    """The strategy with its parameters, as the family `autoscaling` writes it."""


Kind = Controlled | Scaled | FixedGroup | KedaGroup | DeployedGroup | AskingGroup


def is_asking(name: str) -> bool:
    """Whether a live strategy is that of a group that asks."""
    return name.startswith(ASKING)


def label_of_asking(name: str) -> str:
    """The strategy of a group that asks, as the family `autoscaling` writes it."""
    return name.removeprefix(ASKING)


def parse(name: str, partitions: int) -> Kind:
    """Kind of a live strategy.

    name: Name of an assignment algorithm, a strategy of autoscaling with its parameters, alone,
        deployed through KEDA or behind ``asking:``, ``kafka_classic_n``, ``kafka_848_n`` or
        ``keda``.
    Raises InputError if the name is unknown, or the group would have more members than partitions
        or than a live run allows.

    >>> parse("kafka_848_3", 8)
    FixedGroup(protocol='848', members=3)
    >>> parse("keda", 8), parse("headroom:h=1.5", 8)
    (KedaGroup(protocol='classic'), Scaled(label='headroom:h=1.5'))
    >>> parse("keda_http:headroom:hold=30", 8)
    DeployedGroup(form='keda_http', label='keda_http:headroom:hold=30', protocol='classic')
    >>> parse("asking:linear:assignor=range", 8)
    AskingGroup(label='linear:assignor=range')
    """
    if name == KEDA:
        return KedaGroup()
    if is_asking(name):
        return _asking(name, partitions)
    match = _FIXED.fullmatch(name)
    if match is not None:
        return FixedGroup(match[1], _checked(name, int(match[2]), partitions))
    return Controlled(name) if _is_algorithm(name) else _scaled(name, partitions)


def _checked(name: str, members: int, partitions: int) -> int:
    most = min(partitions, MOST_MEMBERS)
    if members > most:
        raise InputError(
            f"{name}: the group must have between 1 and {most} members, no more than partitions "
            f"(got {members})"
        )
    return members


def _is_algorithm(name: str) -> bool:
    # The registry compiles its kernels' signatures; names of Kafka's groups do not need it.
    from algorithms.assignment import parametric_names, registry
    from algorithms.core.input_errors import AlgorithmError, UnknownAlgorithmError

    if parametric_names.is_own(name):
        return False
    try:
        registry.get(name)
    except UnknownAlgorithmError:
        return False
    except AlgorithmError as error:
        raise InputError(f"strategy {named(name)}: {error}") from None
    return True


def _asking(name: str, partitions: int) -> AskingGroup:
    inner = _scaled(label_of_asking(name), partitions)
    if isinstance(inner, Scaled):
        return AskingGroup(inner.label)
    raise InputError(f"strategy {named(name)}: a group that asks has no KEDA; leave out {ASKING}")


def _scaled(name: str, partitions: int) -> Scaled | DeployedGroup:
    from algorithms.assignment import registry
    from algorithms.autoscaling import strategies
    from algorithms.core.input_errors import AlgorithmError, UnknownAlgorithmError, near
    from pipeline.inputs.policies import strategy_policies

    try:
        every = strategy_policies.parse(name, partitions, 1.0, 1.0)
    except UnknownAlgorithmError:
        names = ", ".join((*registry.known_patterns(), *_OWN, _SCALING))
        guess = near(name, (*strategies.known_patterns(), *_OWN))
        raise InputError(f"unknown strategy {named(name)}{guess}; choose one of {names}") from None
    except (AlgorithmError, InputError) as error:
        raise InputError(f"strategy {named(name)}: {error}") from None
    if len(every) != 1:
        raise InputError(f"strategy {named(name)}: write the strategies of a sweep out")
    form, label = every[0].strategy.partition(":")[0], every[0].label
    if form not in DEPLOYED:
        return Scaled(label)
    if every[0].settings.get("assignor", ASSIGNOR) != ASSIGNOR:
        raise InputError(
            f"strategy {named(name)}: assignor must be {ASSIGNOR}, as members of a live group have "
            "it; leave it out"
        )
    return DeployedGroup(form, label)
