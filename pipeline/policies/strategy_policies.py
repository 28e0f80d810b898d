"""Strategies that are written with a policy's file, ``dqn:FILE``: the files are read here."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from algorithms.autoscaling import candidates
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.trained.trained_policy import PolicyName
from pipeline.errors import InputError
from pipeline.policies import group_policies, policy_weights

_PINNED = re.compile(r"(.+)@([0-9a-f]{12})", re.ASCII)
"""A file, and the beginning of its policy's digest."""


def parse(
    text: str, partitions: int, mu: float, wsla_s: float, step_s: float = 1.0
) -> tuple[Candidate, ...]:
    """The candidates of a text, with their policies read.

    Arguments are those of `algorithms.autoscaling.candidates.parse`.

    Raises
    ------
    AlgorithmError
        If the text is no candidate.
    InputError
        If a policy cannot be used.
    """
    return tuple(
        _with_policy(one) for one in candidates.parse(text, partitions, mu, wsla_s, step_s)
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
