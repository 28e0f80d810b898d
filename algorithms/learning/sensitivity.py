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


BASE: Final = "base"
"""The variant that changes nothing."""

VARIANTS: Final[Mapping[str, Variant]] = {
    BASE: Variant({}, {}),
    "rate_low": Variant({}, {"learning_rate": 1e-4}),
    "rate_high": Variant({}, {"learning_rate": 1e-3}),
    "adam": Variant({}, {"optimizer": "adam"}),
    "decay_080": Variant({}, {"decay": 0.8}),
    "decay_095": Variant({}, {"decay": 0.95}),
    "stabilizer_1e_10": Variant({}, {"stabilizer": 1e-10}),
    "stabilizer_001": Variant({}, {"stabilizer": 0.01}),
    "epsilon_short": Variant({}, {"epsilon_share": 0.2}),
    "epsilon_long": Variant({}, {"epsilon_share": 1.0}),
    "replay_20": Variant({}, {"replay": 20}),
    "replay_1000": Variant({}, {"replay": 1000}),
    "target_1": Variant({}, {"target_every": 1}),
    "target_50": Variant({}, {"target_every": 50}),
    "gamma_09": Variant({}, {"gamma": 0.9}),
    "gamma_0999": Variant({}, {"gamma": 0.999}),
    "time_limit_ends": Variant({}, {"time_limit_ends": True}),
    "scaling_raw": Variant({}, {"scaling": "raw"}),
    "c_05": Variant({"cost_of_violation": 0.5}, {}),
    "c_2": Variant({"cost_of_violation": 2.0}, {}),
    "load_low": Variant({"load": 0.8}, {}),
    "load_high": Variant({"load": 1.2}, {}),
    "base_low": Variant({"base_ms": 100.0}, {}),
    "base_high": Variant({"base_ms": 146.0}, {}),
    "queue_low": Variant({"queue_ms": 350.0}, {}),
    "queue_high": Variant({"queue_ms": 520.0}, {}),
    "saturation_low": Variant({"saturation": 2.0}, {}),
    "saturation_high": Variant({"saturation": 3.0}, {}),
    # A lower bound would change nothing: 3 brokers have 0.5 to spare.
    "spare_high": Variant({"least_spare": 1.0}, {}),
    "spread_low": Variant({"spread": 0.04}, {}),
    "spread_high": Variant({"spread": 0.16}, {}),
    # A change takes half of the interval, however often latency is scraped.
    "scrapes_few": Variant({"scrapes": 4, "scrapes_changing": 2}, {}),
    "scrapes_many": Variant({"scrapes": 16, "scrapes_changing": 8}, {}),
    "undisturbed": Variant({"disturbance": 1.0}, {}),
    "disturbed": Variant({"disturbance": 1.5}, {}),
}
"""Variants by name: what the paper leaves open, and the calibration of the cluster, both ways."""

RAW: Final = "scaling_raw"
"""The paper's recipe read literally: metrics are normalized as they are."""

DECLARED: Final = tuple(name for name in VARIANTS if name != BASE)
"""Variants of the sensitivity table, without which no verdict is published."""


def settings_of(
    name: str, brokers: BrokerSettings, agent: AgentSettings
) -> tuple[BrokerSettings, AgentSettings]:
    """Settings with the changes of a variant.

    >>> settings_of("gamma_09", BrokerSettings(), AgentSettings())[1].gamma
    0.9
    """
    variant = VARIANTS[check_name("variant", name, tuple(VARIANTS))]
    return replace(brokers, **variant.brokers), replace(agent, **variant.agent)


def spelled(name: str) -> str:
    """A variant as experiments write it; ``base`` as it is.

    >>> spelled("scrapes_few"), spelled("time_limit_ends")
    ('scrapes=4:scrapes_changing=2', 'time_limit_ends=true')
    """
    variant = VARIANTS[check_name("variant", name, tuple(VARIANTS))]
    changes = {**variant.brokers, **variant.agent}
    return ":".join(f"{key}={str(value).lower()}" for key, value in changes.items()) or BASE
