"""Variants of everything that the paper leaves open, one change at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_names import check_name


class Variant(NamedTuple):
    """Settings of the cluster and of the agent that differ from the defaults."""

    brokers: Mapping[str, Any]
    agent: Mapping[str, Any]


VARIANTS: Final[Mapping[str, Variant]] = {
    "base": Variant({}, {}),
    "rate_low": Variant({}, {"learning_rate": 1e-4}),
    "rate_high": Variant({}, {"learning_rate": 1e-3}),
    "adam": Variant({}, {"optimizer": "adam"}),
    "decay_095": Variant({}, {"decay": 0.95}),
    "stabilizer_001": Variant({}, {"stabilizer": 0.01}),
    "epsilon_short": Variant({}, {"epsilon_share": 0.2}),
    "epsilon_long": Variant({}, {"epsilon_share": 1.0}),
    "replay_1000": Variant({}, {"replay": 1000}),
    "target_50": Variant({}, {"target_every": 50}),
    "gamma_09": Variant({}, {"gamma": 0.9}),
    "time_limit_ends": Variant({}, {"time_limit_ends": True}),
    "scaling_raw": Variant({}, {"scaling": "raw"}),
    "c_2": Variant({"cost_of_violation": 2.0}, {}),
    "load_low": Variant({"load": 0.8}, {}),
    "load_high": Variant({"load": 1.2}, {}),
    "spread_low": Variant({"spread": 0.04}, {}),
    "spread_high": Variant({"spread": 0.16}, {}),
    "undisturbed": Variant({"disturbance": 1.0}, {}),
    "queue_low": Variant({"queue_ms": 350.0}, {}),
    "queue_high": Variant({"queue_ms": 520.0}, {}),
}
"""Variants by name; ``base`` changes nothing."""


def settings_of(
    name: str, brokers: BrokerSettings, agent: AgentSettings
) -> tuple[BrokerSettings, AgentSettings]:
    """Settings with the changes of a variant.

    Raises
    ------
    InvalidParameterError
        If the name is unknown.

    Examples
    --------
    >>> settings_of("gamma_09", BrokerSettings(), AgentSettings())[1].gamma
    0.9
    """
    variant = VARIANTS[check_name("variant", name, tuple(VARIANTS))]
    return replace(brokers, **variant.brokers), replace(agent, **variant.agent)
