"""Policies of applications as users write them: ``NAME`` or ``NAME:PARAMETER=VALUE:…``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from algorithms.core.input_errors import InvalidParameterError, near
from algorithms.simulation.application_graph import Application
from pipeline.base.text.quoting import named

PUBLISHED = ("threshold", "ds2", "queueing", "queueing_paths")
"""Policies of which figures are published; queueing with a bound per function and per path."""

COMPARED = ("constant", *PUBLISHED)
"""What is compared by default."""

MAX_POLICIES = 50


class Policy(NamedTuple):
    """A policy with its arguments in `algorithms.simulation.simulate_application`."""

    label: str
    """As it was written."""
    name: str
    arguments: Mapping[str, float]


def parse(texts: Sequence[object]) -> list[Policy]:
    """Different policies, whose arguments are not checked.

    Raises InvalidParameterError, whose message begins with ``policies``, as `check` does.
    """
    if not 1 <= len(texts) <= MAX_POLICIES:
        raise InvalidParameterError(
            f"policies must be between 1 and {MAX_POLICIES} (got {len(texts)}), such as "
            f"{','.join(PUBLISHED[:2])}"
        )
    policies = [_policy(text) for text in texts]
    for i, policy in enumerate(policies):
        if policy[1:] in [other[1:] for other in policies[:i]]:
            raise InvalidParameterError(f"policies have {policy.label} twice; remove one")
    return policies


def check(policies: Sequence[Policy], application: Application, r_max: float) -> None:
    """Check the arguments of policies.

    r_max: Bound of response times, s, of those without one.
    """
    # This imports Numba.
    from algorithms.simulation.application_policies import start_policy

    for policy in policies:
        try:
            start_policy(policy.name, application, r_max, policy.arguments)
        except InvalidParameterError as error:
            raise InvalidParameterError(f"policies: {policy.label}: {error}") from None


def _policy(text: object) -> Policy:
    from algorithms.simulation.application_policies import POLICIES

    name, *parts = text.strip().split(":") if isinstance(text, str) else [""]
    if name not in POLICIES:
        guess = near(name, POLICIES) or f"; must be one of {', '.join(POLICIES)}"
        raise InvalidParameterError(f"policies: unknown policy {named(text)}{guess}")
    arguments: dict[str, float] = {}
    for part in parts:
        key, sign, value = (piece.strip() for piece in part.partition("="))
        number = _number(value)
        if not sign or number is None or key in arguments:
            raise InvalidParameterError(
                f"policies: {name}: must have the form NAME:PARAMETER=NUMBER, each parameter once, "
                f"such as queueing_paths:alpha=0.5 (got {named(part)})"
            )
        arguments[key] = number
    label = ":".join((name, *(f"{key}={number:g}" for key, number in arguments.items())))
    return Policy(label, name, arguments)


def _number(text: str) -> float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None
