"""Strategies that are written with a policy's file, ``dqn:FILE``: the files are read here."""

from __future__ import annotations

import hashlib
import re
from dataclasses import fields
from pathlib import Path

from algorithms.autoscaling import candidates, registry
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.trained.trained_policy import PolicyName
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.group_settings import GroupSettings
from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named
from pipeline.inputs.policies import group_policies, policy_weights

_PINNED = re.compile(r"(.+)@([0-9a-f]{12})", re.ASCII)
"""A file, and the beginning of its policy's digest."""

_SETTINGS = tuple(field.name for field in fields(GroupSettings))


def parse(
    text: str, partitions: int, mu: float, wsla_s: float, step_s: float = candidates.STEP_S
) -> tuple[Candidate, ...]:
    """The candidates of a text, with their policies read.

    Arguments are those of `algorithms.autoscaling.candidates.parse`.

    Raises AlgorithmError if the text is no candidate, or an unknown parameter is ``null``. Unknown
        parameters with other values are kept: which settings a group has depends on the caller.
    Raises InputError if a policy cannot be used.
    """
    parsed = candidates.parse(text, partitions, mu, wsla_s, step_s)
    _check_nulls(text)
    return tuple(map(_with_policy, parsed))


def _check_nulls(text: str) -> None:
    """Check the names of parameters that are ``null``, which candidates do not have."""
    strategy = registry.name_of(text)
    parts = text.removeprefix(strategy).split(":")[1:]
    arguments = tuple(registry.get(strategy).arguments)
    for part in parts:
        name, _, value = part.partition("=")
        if value.strip() == "null" and name not in (*arguments, *_SETTINGS):
            raise InvalidParameterError(
                f"unknown parameter {named(name)}; must be an argument of {strategy} "
                f"({', '.join(arguments) or 'none'}) or a setting of the group "
                f"({', '.join(_SETTINGS)})"
            )


def pinned(one: Candidate) -> Candidate:
    """The candidate, its policy named with its digest: another one is refused."""
    argument = candidates.policy_argument(one.strategy)
    return one._replace(
        parameters=tuple(
            (name, _pinned(value) if name == argument else value) for name, value in one.parameters
        )
    )


def _with_policy(one: Candidate) -> Candidate:
    argument = candidates.policy_argument(one.strategy)
    return one._replace(
        parameters=tuple(
            (name, _read(str(value)) if name == argument else value)
            for name, value in one.parameters
        )
    )


def _read(name: str) -> PolicyName:
    match = _PINNED.fullmatch(name)
    file = Path(match[1] if match else name)
    policy = group_policies.read(file)
    if match and not _digest(PolicyName(name, policy)).startswith(match[2]):
        raise InputError(f"{file}: the policy has changed since the run was configured; restore it")
    return PolicyName(name, policy)


def _digest(name: PolicyName) -> str:
    # The same weights decide differently with other actions.
    policy = name.policy
    text = f"{policy.action} {policy.partitions} {policy_weights.packed(policy.weights)['digest']}"
    return hashlib.sha256(text.encode()).hexdigest()


def _pinned(name: PolicyName) -> PolicyName:
    if _PINNED.fullmatch(name):
        return name
    return PolicyName(f"{name}@{_digest(name)[:12]}", name.policy)
