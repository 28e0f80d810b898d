"""Behaviours of the horizontal pod autoscaler as they are written in a strategy's parameters.

``60s/Max/100%@15s`` is a window of 60 s and a policy of 100 % per 15 s; ``4pods@15s`` is one of
four replicas. Of several policies, ``Max`` takes the one of most change, ``Min`` that of least. The
text has neither ``:`` nor ``,``, which separate parameters and strategies.
"""

from __future__ import annotations

import re

from algorithms.autoscaling.scaling_policies import SELECTS, Behaviour, Policy
from algorithms.core.input_errors import InvalidParameterError

_NUMBER = r"[0-9]{1,20}(?:\.[0-9]{1,20})?(?:e[+-]?[0-9]{1,3})?"
_WINDOW = re.compile(rf"({_NUMBER})s")
_POLICY = re.compile(rf"({_NUMBER})(%|pods)@({_NUMBER})s")
_UNITS = {"Pods": "pods", "Percent": "%"}
_TYPES = {unit: kind for kind, unit in _UNITS.items()}


def parse(name: str, text: str, default: Behaviour) -> Behaviour:
    """Read a behaviour; bounds are checked by `scaling_policies.check_behaviour`.

    text: ``WINDOW/SELECT/POLICY/…``. Without a ``SELECT``, or without policies, those of `default`
        apply; ``Disabled`` needs no policies.
    Raises InvalidParameterError if the text has another form.

    >>> from algorithms.autoscaling.scaling_policies import SCALE_DOWN
    >>> behaviour = parse("scale_down", "60s/Min/2pods@30s", SCALE_DOWN)
    >>> behaviour.window_s, behaviour.select, behaviour.policies[0]
    (60.0, 'Min', Policy(type='Pods', value=2.0, period_s=30.0))
    """
    first, *rest = text.split("/")
    window = _WINDOW.fullmatch(first)
    select = rest.pop(0) if rest and rest[0] in SELECTS else default.select
    matches = [_POLICY.fullmatch(part) for part in rest]
    parts = [match.groups() for match in matches if match]
    if window is None or len(parts) < len(matches):
        raise InvalidParameterError(
            f"{name} must be a window, with a selection and policies as needed, such as 60s, "
            f"60s/Min/2pods@30s/50%@15s or 0s/Disabled (got {text!r})"
        )
    policies = tuple(
        Policy(_TYPES[unit], float(value), float(period_s)) for value, unit, period_s in parts
    )
    if not policies and select != "Disabled":
        policies = default.policies
    return Behaviour(float(window[1]), select, policies)


def text(behaviour: Behaviour) -> str:
    """Write a behaviour as `parse` reads it.

    >>> from algorithms.autoscaling.scaling_policies import SCALE_UP
    >>> text(SCALE_UP)
    '0s/Max/4pods@15s/100%@15s'
    """
    policies = (
        f"{_digits(value)}{_UNITS[kind]}@{_digits(period_s)}s"
        for kind, value, period_s in behaviour.policies
    )
    return "/".join((f"{_digits(behaviour.window_s)}s", behaviour.select, *policies))


def _digits(number: float) -> str:
    """The shortest text of the same number."""
    return repr(float(number)).removesuffix(".0")
