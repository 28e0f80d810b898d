"""Lists of autoscaling strategies, checked against their registry, which is imported on demand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pipeline.config.field_checks import FieldError
from pipeline.limits import MAX_ALGORITHMS
from pipeline.text.quoting import named, shown

if TYPE_CHECKING:
    from algorithms.autoscaling.candidates import Candidate

ALL = "all"
"""Stands for the strategies that are compared by default; ``all:sweep`` for their sweeps."""

_FIELD = "strategies"
_WORD = re.compile(r"\w+")


def resolve(value: object, partitions: int, mu: float, wsla_s: float) -> tuple[str, ...]:
    """Labels of candidates, with sweeps written out.

    Raises
    ------
    FieldError
        If a strategy is unknown, written in another form, or given twice.
    """
    items = list(value) if isinstance(value, list | tuple) else [value]
    labels = [
        candidate.label
        for i, item in enumerate(items)
        for candidate in _candidates(i, item, partitions, mu, wsla_s)
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
    i: int, item: object, partitions: int, mu: float, wsla_s: float
) -> Sequence[Candidate]:
    from algorithms.autoscaling import candidates
    from algorithms.core.input_errors import AlgorithmError

    if not isinstance(item, str):
        raise FieldError(
            f"`{_FIELD}[{i}]` must be a strategy such as headroom:h=1.5 (got {shown(item)})", _FIELD
        )
    name, _, rest = item.strip().partition(":")
    names = candidates.COMPARED if name == ALL else (name,)
    try:
        return [
            found
            for each in names
            for found in candidates.parse(f"{each}:{rest}".rstrip(":"), partitions, mu, wsla_s)
        ]
    except AlgorithmError as error:
        raise FieldError(f"`{_FIELD}[{i}]`: {error}", _FIELD) from None


def candidates_of(labels: Sequence[str]) -> list[Candidate]:
    """Candidates of resolved labels."""
    from algorithms.autoscaling import candidates

    # Without sweeps, sizes do not matter.
    return [each for label in labels for each in candidates.parse(label, 1, 1.0, 1.0)]


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
        raise FieldError(f"`{field}`{str(error).removeprefix(field)}", field) from None
    for candidate in candidates_of(labels):
        strategy = registry.get(candidate.strategy)
        try:
            decision_s = candidates.whole_steps(strategy.decision_s, group["step_s"])
            settings = check_settings(
                {**group, **candidate.settings}, partitions, decision_s, strategy.observe
            )
            strategy.check(group_of(settings, np.ones(partitions)), **candidate.arguments)
        except AlgorithmError as error:
            raise FieldError(f"`{_FIELD}`: {candidate.label}: {error}", _FIELD) from None


def _first_word(text: str) -> str:
    match = _WORD.match(text)
    return match[0] if match else _FIELD
