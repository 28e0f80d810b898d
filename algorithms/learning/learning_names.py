"""Names of agents, rewards and scalings, and their check."""

from __future__ import annotations

from collections.abc import Sequence

from algorithms.core.input_errors import InvalidParameterError

AGENTS = ("dqn", "double_dqn")
"""DQN takes the target network's maximum; Double DQN its value of the online network's action."""

REWARDS = ("count", "violations", "weighted")
"""The paper's rewards 1, 2 and 3."""

SCALINGS = ("ranges", "raw")
"""Metrics divided by declared ranges before they are normalised, or as they are."""

MEASURED = "measured"
CURVES = ("formula", MEASURED)
"""Latency of the simulated cluster, or as it was measured on Kafka brokers."""

OPTIMIZERS = ("rmsprop", "adam")


def check_name(kind: str, value: str, known: Sequence[str]) -> str:
    """Return a name, or raise `InvalidParameterError` that lists the known ones.

    >>> check_name("agent", "dqn", AGENTS)
    'dqn'
    """
    if value not in known:
        raise InvalidParameterError(f"unknown {kind} {value!r}; choose one of {', '.join(known)}")
    return value
