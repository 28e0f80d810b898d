"""Lists of autoscaling strategies, checked against their registry, which is imported on demand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from pipeline.base.errors import InputError
from pipeline.base.limits import MAX_ALGORITHMS
from pipeline.base.text.quoting import named, shown
from pipeline.settings.field_checks import FieldError

if TYPE_CHECKING:
    from algorithms.autoscaling.candidates import Candidate

ALL = "all"
"""Stands for the strategies that are compared by default; ``all:sweep`` for their sweeps, and
``all:sweep=5`` for five candidates of each."""

_FIELD = "strategies"
_WORD = re.compile(r"\w+")
WRITTEN = re.compile(
    r"(?:keda_[a-z]{1,20}:|controller:)?[\w.+-]{1,40}"
    r"(:sweep(=[0-9]{1,40})?|(:[\w@+-]*[./][\w./@+-]{1,200})?(:\w{1,40}=[\w.+%@/-]{1,200})*)",
    re.ASCII,
)
"""Form of a strategy, with a policy's file or a way to deploy it among them."""

_OF_WORKLOAD = ("step_s", "poisson", "seed")
"""Settings of a simulated group that the experiment's streams determine."""

_TOGETHER = {
    "decision_s": ("step_s",),
    "decision_offset_s": ("step_s",),
    "initial_replicas": ("min_replicas", "partitions"),
    "max_replicas": ("min_replicas",),
    "min_replicas": ("partitions",),
    "n": ("partitions",),
}
"""Fields that bound what a message begins with."""


def resolve(
    value: object, partitions: int, mu: float, wsla_s: float, step_s: float
) -> tuple[str, ...]:
    """Labels of candidates, sweeps written out. Raises FieldError if unknown or repeated."""
    items = list(value) if isinstance(value, list | tuple) else [value]
    labels = [
        candidate.label
        for i, item in enumerate(items)
        for candidate in _candidates(i, item, partitions, mu, wsla_s, step_s)
    ]
    if not 1 <= len(labels) <= MAX_ALGORITHMS:
        raise FieldError(
            f"`{_FIELD}` must have 1 to {MAX_ALGORITHMS:,} strategies, sweeps written out "
            f"(got {len(labels):,})",
            _FIELD,
        )
    repeated = next((label for label in labels if labels.count(label) > 1), None)
    if repeated is not None:
        raise FieldError(f"`{_FIELD}` contains {named(repeated)} twice; remove one", _FIELD)
    return tuple(labels)


def _candidates(
    i: int, item: object, partitions: int, mu: float, wsla_s: float, step_s: float
) -> Sequence[Candidate]:
    from algorithms.autoscaling.strategy_list import COMPARED
    from algorithms.core.input_errors import AlgorithmError
    from pipeline.inputs.policies import strategy_policies

    if not isinstance(item, str):
        raise FieldError(
            f"`{_FIELD}[{i}]` must be a strategy such as headroom:h=1.5 (got {shown(item)})", _FIELD
        )
    if not WRITTEN.fullmatch(item.strip()):
        raise FieldError(
            f"`{_FIELD}[{i}]` must have the form NAME:PARAMETER=VALUE:… or NAME:sweep, such as "
            f"headroom:h=1.5 (got {named(item)})",
            _FIELD,
        )
    name, _, rest = item.strip().partition(":")
    names = COMPARED if name == ALL else (name,)
    try:
        return [
            strategy_policies.pinned(candidate)
            for each in names
            for candidate in strategy_policies.parse(
                f"{each}:{rest}".rstrip(":"), partitions, mu, wsla_s, step_s
            )
        ]
    except (AlgorithmError, InputError) as error:
        raise FieldError(f"`{_FIELD}[{i}]`: {error}", _FIELD) from None


def candidates_of(labels: Sequence[str]) -> list[Candidate]:
    """Candidates of resolved labels."""
    from pipeline.inputs.policies import strategy_policies

    # Without sweeps, sizes do not matter.
    return [each for label in labels for each in strategy_policies.parse(label, 1, 1.0, 1.0)]


def check(labels: Sequence[str], group: Mapping[str, Any], partitions: int) -> None:
    """Raise `FieldError` if a strategy or the group refuses its settings."""
    import numpy as np

    from algorithms.autoscaling import candidates, registry
    from algorithms.core.input_errors import AlgorithmError
    from algorithms.simulation.group_settings import check_settings, group_of

    try:
        check_settings(group, partitions, group["step_s"], None)
    except AlgorithmError as error:
        field = _first_word(str(error))
        text = f"`{field}`{str(error).removeprefix(field)}"
        raise FieldError(text, field, *_TOGETHER.get(field, ())) from None
    for candidate in candidates_of(labels):
        strategy = registry.get(candidate.strategy)
        _check_parameters(candidate, strategy.arguments)
        try:
            decision_s = candidates.whole_steps(strategy.decision_s, group["step_s"])
            settings = check_settings(
                {**group, **candidate.settings}, partitions, decision_s, strategy.observe
            )
            strategy.check(group_of(settings, np.ones(partitions)), **candidate.arguments)
        except AlgorithmError as error:
            others = _TOGETHER.get(_first_word(str(error)), ())
            raise FieldError(f"`{_FIELD}`: {candidate.label}: {error}", _FIELD, *others) from None


def _check_parameters(candidate: Candidate, arguments: Iterable[str]) -> None:
    """Raise `FieldError` for a parameter that the strategy and its group do not have."""
    from algorithms.simulation.group_settings import GroupSettings

    settings = [field.name for field in fields(GroupSettings) if field.name not in _OF_WORKLOAD]
    for name in candidate.settings:
        if name in _OF_WORKLOAD:
            raise FieldError(
                f"`{_FIELD}`: {candidate.label}: {name} is the same for all strategies; remove it",
                _FIELD,
            )
        if name not in settings:
            raise FieldError(
                f"`{_FIELD}`: {candidate.label}: unknown parameter {named(name)}; must be an "
                f"argument of {candidate.strategy} ({', '.join(arguments) or 'none'}) or a setting "
                f"of the group ({', '.join(settings)})",
                _FIELD,
            )


def _first_word(text: str) -> str:
    match = _WORD.match(text)
    return match[0] if match else _FIELD
