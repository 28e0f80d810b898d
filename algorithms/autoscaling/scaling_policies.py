"""How fast Kubernetes may scale: behaviours of the horizontal pod autoscaler, and their checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling.number_checks import check_number
from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError

LONGEST_WINDOW_S = 86_400.0
"""Longest time, seconds, for which strategies remember what they have seen or done."""

TYPES = ("Pods", "Percent")
"""What a policy's value counts; the place is the code in `table`."""

SELECTS = ("Max", "Min", "Disabled")
"""Which policy applies: the one of most change, of least change, or no change; places are codes."""


class Policy(NamedTuple):
    """One limit of the change within a period."""

    type: str
    """``Pods`` or ``Percent``."""
    value: float
    """Replicas, or percent of the replicas at the start of the period."""
    period_s: float
    """Length of the period, seconds."""


class Behaviour(NamedTuple):
    """How fast one direction may scale."""

    window_s: float
    """Stabilisation window, seconds: proposals that are younger count."""
    select: str
    """``Max``, ``Min`` or ``Disabled``."""
    policies: tuple[Policy, ...]
    """Limits of the change."""


SCALE_UP = Behaviour(0.0, "Max", (Policy("Pods", 4, 15.0), Policy("Percent", 100, 15.0)))
"""Kubernetes' default: four replicas or twice as many within 15 s, whichever is more."""

SCALE_DOWN = Behaviour(300.0, "Max", (Policy("Percent", 100, 15.0),))
"""Kubernetes' default: any number, after five minutes of lower proposals."""

AT_ONCE = Behaviour(0.0, "Max", (Policy("Pods", 100, 15.0),))
"""For strategies that hold by themselves: the pod autoscaler only passes their count on."""


def check_behaviour(name: str, value: object, greatest_percent: float) -> Behaviour:
    """Return a behaviour with plain numbers, or raise if it is invalid.

    value: A behaviour, or a mapping with its fields; likewise its policies.
    greatest_percent: Greatest value of a percent policy: 100 for scaling down.
    """
    fields = _fields(name, value, Behaviour)
    select = _one_of(f"{name}.select", fields["select"], SELECTS)
    policies = fields["policies"]
    if isinstance(policies, str | Mapping) or not isinstance(policies, Iterable):
        raise InvalidParameterError(f"{name}.policies must be a list of policies (got {policies})")
    checked = tuple(
        _check_policy(f"{name}.policies[{i}]", policy, greatest_percent)
        for i, policy in enumerate(policies)
    )
    if not checked and select != "Disabled":
        raise InvalidParameterError(
            f"{name}.policies must not be empty unless select is Disabled (got {select})"
        )
    window = check_number(
        f"{name}.window_s", fields["window_s"], at_least=0.0, at_most=LONGEST_WINDOW_S
    )
    return Behaviour(window, select, checked)


def _check_policy(name: str, value: object, greatest_percent: float) -> Policy:
    fields = _fields(name, value, Policy)
    kind = _one_of(f"{name}.type", fields["type"], TYPES)
    most = greatest_percent if kind == "Percent" else np.inf
    return Policy(
        kind,
        check_number(f"{name}.value", fields["value"], at_least=0.0, at_most=most),
        check_number(f"{name}.period_s", fields["period_s"], above=0.0, at_most=LONGEST_WINDOW_S),
    )


def _fields(name: str, value: object, shape: type[Behaviour] | type[Policy]) -> Mapping[str, Any]:
    if isinstance(value, shape):
        return value._asdict()
    if isinstance(value, Mapping) and set(value) == set(shape._fields):
        return value
    raise InvalidParameterError(
        f"{name} must be a {shape.__name__} with {', '.join(shape._fields)} (got {value!r})"
    )


def _one_of(name: str, value: object, known: tuple[str, ...]) -> str:
    if value not in known:
        raise InvalidParameterError(f"{name} must be one of {', '.join(known)} (got {value!r})")
    return str(value)


def table(behaviour: Behaviour) -> Floats:
    """Policies as rows of numbers: code of the type, value, period; ``float64[policies, 3]``."""
    rows = [(TYPES.index(kind), value, period) for kind, value, period in behaviour.policies]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 3)
