"""The strategies of a live experiment: algorithms, autoscaling strategies, Kafka's own groups."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from live import strategy_kinds
from live.protocol.loss_settings import MOST_CONSUMERS
from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named
from pipeline.settings import algorithm_names, strategy_names
from pipeline.settings.field_checks import REFERENCE, FieldError

if TYPE_CHECKING:
    from algorithms.autoscaling.candidates import Candidate

FIELD = "strategies"

_OWN_PATTERNS = ("keda", "kafka_classic_n", "kafka_848_n", f"{strategy_kinds.ASKING}STRATEGY")
_OWN_GROUP = re.compile(r"keda|kafka_(classic|848)_([1-9][0-9]{0,3})", re.ASCII)
"""Strategies that Kafka itself carries out, as in `live.strategy_kinds`."""

LEAST_LOOK_S = 0.25
"""Shortest time between two looks of a scaler, and between scrapes, seconds of the broker's
clock."""

_TOGETHER = ("partitions", "capacity", "consumer_rate", "record_bytes", "iteration_seconds")


class Sizes(NamedTuple):
    """Fields of the experiment that bound parameters of strategies; see `LiveExperiment`."""

    partitions: int
    capacity: float
    consumer_rate: float
    record_bytes: int
    iteration_seconds: float
    revoke_s: float


def is_own_group(strategy: str) -> bool:
    """Whether Kafka itself assigns partitions, not an algorithm."""
    return _OWN_GROUP.fullmatch(strategy) is not None


def is_algorithm(strategy: str) -> bool:
    """Whether it is a name of the assignment registry."""
    from algorithms.assignment import parametric_names, registry
    from algorithms.core.input_errors import AlgorithmError, UnknownAlgorithmError

    if parametric_names.is_own(strategy):
        return False
    try:
        registry.get(strategy)
    except UnknownAlgorithmError:
        return False
    except AlgorithmError:  # Such as kd_0, which `algorithm_names` refuses.
        return True
    return True


def resolve(names: tuple[str, ...], sizes: Sizes) -> tuple[str, ...]:
    """Strategies that exist: algorithms, then strategies of autoscaling, then Kafka's own groups.

    Raises FieldError if one is unknown, or a parameter of it is.
    """
    own = [name for name in names if is_own_group(name)]
    algorithms = [name for name in names if name == REFERENCE or is_algorithm(name)]
    others = [name for name in names if name not in (*own, *algorithms)]
    resolved = algorithm_names.resolve(algorithms, FIELD) if algorithms else ()
    return (*resolved, *(_checked(name, sizes) for name in others), *own)


def check_members(strategies: tuple[str, ...], partitions: int) -> None:
    """Raise `FieldError` if one of Kafka's own groups has too many members."""
    most = min(partitions, MOST_CONSUMERS)
    for strategy in strategies:
        match = _OWN_GROUP.fullmatch(strategy)
        if match and match[2] and int(match[2]) > most:
            raise FieldError(
                f"`{FIELD}`: {strategy} must have at most {most} members, one per partition and "
                f"{MOST_CONSUMERS} in all; choose a smaller number",
                FIELD,
                "partitions",
            )


def _checked(name: str, sizes: Sizes) -> str:
    """Label of a strategy of autoscaling that starts on a group of these sizes."""
    import numpy as np

    from algorithms.core.input_errors import AlgorithmError
    from algorithms.simulation.broker_group import BrokerGroup

    if strategy_kinds.is_asking(name):
        return _asking(name, sizes)
    candidate = _candidate(name)
    _check_look(candidate, sizes.iteration_seconds)
    group = BrokerGroup(*sizes[:-1])
    try:
        group.check(candidate, group.settings(candidate), np.ones(sizes.partitions))
    except AlgorithmError as error:
        raise FieldError(f"`{FIELD}`: {candidate.label}: {error}", FIELD, *_TOGETHER) from None
    return candidate.label


def _asking(name: str, sizes: Sizes) -> str:
    """The same of a group that asks, whose strategy has the broker's own clock."""
    import numpy as np

    from algorithms.core.input_errors import AlgorithmError
    from algorithms.simulation.broker_group import ITERATION_S, BrokerGroup
    from live.asking import asking_strategy

    candidate = _candidate(strategy_kinds.label_of_asking(name))
    if candidate.strategy.partition(":")[0] in strategy_kinds.DEPLOYED:
        raise FieldError(
            f"`{FIELD}`: {name}: a group that asks has no KEDA; leave out {strategy_kinds.ASKING}",
            FIELD,
        )
    group = BrokerGroup(*sizes[:4], ITERATION_S)
    try:
        settings = asking_strategy.group_settings(group, candidate, sizes.revoke_s)
        group.check(candidate, settings, np.ones(sizes.partitions))
    except AlgorithmError as error:
        raise FieldError(f"`{FIELD}`: {name}: {error}", FIELD, *_TOGETHER) from None
    return f"{strategy_kinds.ASKING}{candidate.label}"


def _check_look(candidate: Candidate, iteration_s: float) -> None:
    """A look, or a scrape, takes some answers of the brokers."""
    from algorithms.autoscaling import registry
    from algorithms.simulation.broker_group import ITERATION_S

    form = candidate.strategy.partition(":")[0]
    if form not in strategy_kinds.DEPLOYED:
        return
    name = "scrape_s" if form == strategy_kinds.PROMETHEUS else "look_s"
    value = {**registry.get(candidate.strategy).arguments, **candidate.arguments}[name]
    least_s = LEAST_LOOK_S * ITERATION_S / iteration_s
    if value < least_s:
        raise FieldError(
            f"`{FIELD}`: {candidate.label}: {name} must be at least {least_s:g} s with iterations "
            f"of {iteration_s:g} s (got {value:g}); lengthen `iteration_seconds`",
            FIELD,
            "iteration_seconds",
        )


def _candidate(name: str) -> Candidate:
    from algorithms.autoscaling import candidates, strategies
    from algorithms.core.input_errors import AlgorithmError, UnknownAlgorithmError
    from pipeline.inputs.policies import strategy_policies

    if not strategy_names.WRITTEN.fullmatch(name):
        raise FieldError(
            f"`{FIELD}` must have the form NAME or NAME:PARAMETER=VALUE:…, such as MWF or "
            f"headroom:h=1.5 (got {named(name)})",
            FIELD,
        )
    if name.rpartition(":")[2].split("=")[0] == candidates.SWEEP:
        raise FieldError(
            f"`{FIELD}`: {name}: each strategy takes a run on the broker; write them out", FIELD
        )
    try:
        (candidate,) = strategy_policies.parse(name, 1, 1.0, 1.0)
    except UnknownAlgorithmError:
        raise FieldError(_unknown(name), FIELD) from None
    except (AlgorithmError, InputError) as error:
        raise FieldError(f"`{FIELD}`: {error}", FIELD) from None
    own = strategies.inner_of(candidate.strategy)
    form = candidate.strategy.partition(":")[0]
    if own and form == strategies.CONTROLLER:
        raise FieldError(
            f"`{FIELD}`: {name}: {candidate.strategy} scales a StatefulSet, which a live run does "
            f"not have; choose {own}",
            FIELD,
        )
    if own and form not in strategy_kinds.ASKED:
        raise FieldError(
            f"`{FIELD}`: {name}: this form is simulated only; choose {own}, or one of "
            f"{', '.join(f'{each}:{own}' for each in strategy_kinds.ASKED)}",
            FIELD,
        )
    return strategy_policies.pinned(candidate)


def _unknown(name: str) -> str:
    from algorithms.assignment import registry
    from algorithms.autoscaling import strategies
    from algorithms.core.input_errors import near

    assignment = ", ".join(registry.known_patterns())
    others = (*registry.known_patterns(), *strategies.DERIVED_PATTERNS)
    scaling = ", ".join(each for each in strategies.known_patterns() if each not in others)
    guess = near(name, (*strategies.known_patterns(), *_OWN_PATTERNS))
    return (
        f"`{FIELD}`: unknown strategy {named(name)}{guess}; choose an algorithm: {assignment}; a "
        f"strategy of autoscaling: {scaling}, or NAME{strategies.PLACEMENT}; or "
        f"{', '.join(_OWN_PATTERNS)}"
    )
