"""Model of an experiment of the family `learning`: agents, rewards, and a cluster to scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo, model_validator

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning.agent_settings import AgentSettings, check_agent
from algorithms.learning.cluster_settings import BrokerSettings, check_brokers
from algorithms.learning.learning_names import AGENTS, REWARDS
from pipeline.config import field_checks
from pipeline.config.field_checks import FieldError, checked_by
from pipeline.text.quoting import named, shown

BASE = "base"
"""The variant with the experiment's own settings."""

MAX_SEEDS, MAX_VARIANTS = 1000, 50

MAX_DECISIONS = 100_000_000
"""Decisions of an experiment, all agents together: some hours on two cores."""

BROKERS, AGENT = (
    {field.name: field.default for field in fields(settings)}
    for settings in (BrokerSettings, AgentSettings)
)
"""Settings of the cluster and of the agent, with their defaults."""

SHAPES = ("episodes", "steps", "held_out", "evaluate_every", "min_brokers", "max_brokers")
"""Settings that all variants of an experiment share."""

TUNABLE = tuple(name for name in (*BROKERS, *AGENT) if name not in (*SHAPES, "hidden"))
"""Settings that a variant can change."""


class Cell(NamedTuple):
    """What one task trains: an agent with a reward and a variant, with all its seeds."""

    experiment: str
    agent: str
    reward: str
    variant: str


class Settings(NamedTuple):
    """Checked settings of a variant."""

    brokers: BrokerSettings
    agent: AgentSettings


def _several(field: str, value: object, most: int, example: str) -> Sequence[object]:
    items = value if isinstance(value, list | tuple) else [value]
    if not 1 <= len(items) <= most or len({str(item) for item in items}) < len(items):
        raise FieldError(
            f"`{field}` must have between 1 and {most} different values (got {shown(value)}), such "
            f"as {example}",
            field,
        )
    return items


def _agents(value: object) -> tuple[str, ...]:
    items = _several("agents", value, len(AGENTS), ",".join(AGENTS))
    return tuple(field_checks.one_of("agents", item, AGENTS) for item in items)


def _rewards(value: object) -> tuple[str, ...]:
    items = _several("rewards", value, len(REWARDS), ",".join(REWARDS))
    return tuple(field_checks.one_of("rewards", item, REWARDS) for item in items)


def _variants(value: object) -> tuple[str, ...]:
    items = _several("variants", value, MAX_VARIANTS, f"{BASE},learning_rate=0.001")
    for item in items:
        changes(item)
    return tuple(str(item) for item in items)


def changes(variant: object) -> dict[str, Any]:
    """Settings that a variant changes, such as ``learning_rate=0.001:batch=32``, not checked.

    Raises
    ------
    FieldError
        If it has another form, or names an unknown setting.
    """
    if variant == BASE:
        return {}
    found: dict[str, Any] = {}
    for part in str(variant).split(":"):
        key, sign, text = part.partition("=")
        if not sign or key not in TUNABLE:
            raise FieldError(
                f"`variants` must be {BASE} or SETTING=VALUE with one of {', '.join(TUNABLE)} "
                f"(got {named(variant)})",
                "variants",
            )
        found[key] = _value(text)
    return found


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _listed(name: str, value: object) -> object:
    if isinstance(value, list):
        return tuple(value)
    # A single layer, as --set hidden=64 gives it.
    return (value,) if name == "hidden" and not isinstance(value, tuple) else value


def _checked(value: object, info: ValidationInfo) -> Any:
    """The value of a setting, if it is legal next to the defaults of the others."""
    name = str(info.field_name)
    beside = {"load": ("steps",), "batch": ("replay",), "min_brokers": ("max_brokers",)}
    given = {key: info.data[key] for key in beside.get(name, ()) if key in info.data}
    # Otherwise a large batch, say, is refused before the replay that it fits in is known.
    given |= {"min_brokers": 1} if name == "max_brokers" else {}
    given |= {"batch": 1} if name == "replay" else {}
    values = given | {name: _listed(name, value)}
    try:
        if name in BROKERS:
            return getattr(check_brokers(BrokerSettings(**values)), name)
        return getattr(check_agent(AgentSettings(**values)), name)
    except (InvalidParameterError, TypeError) as error:
        text = str(error)
        quoted = (
            text.replace(name, f"`{name}`", 1) if text.startswith(name) else f"`{name}`: {text}"
        )
        raise FieldError(quoted, name) from None


_Checked = BeforeValidator(_checked)
Whole = Annotated[int, _Checked]
Number = Annotated[float, _Checked]
Name = Annotated[str, _Checked]


class LearningExperiment(BaseModel):
    """Agents that learn to scale the brokers of a simulated cluster.

    The settings of `BrokerSettings` and `AgentSettings` are explained there.

    Attributes
    ----------
    agents, rewards, variants
        What is trained: each agent with each reward and variant. A variant is ``base``, or changes
        settings, such as ``learning_rate=0.001``.
    seeds
        Agents that differ only in their random numbers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    name: Annotated[str, checked_by(field_checks.name)]
    agents: Annotated[tuple[str, ...], BeforeValidator(_agents)] = AGENTS
    rewards: Annotated[tuple[str, ...], BeforeValidator(_rewards)] = REWARDS
    variants: Annotated[tuple[str, ...], BeforeValidator(_variants)] = (BASE,)
    seeds: Annotated[int, checked_by(field_checks.whole, 1, MAX_SEEDS)] = 30
    max_brokers: Whole = 11
    min_brokers: Whole = 3
    steps: Whole = 45
    scrapes: Whole = 8
    scrapes_changing: Whole = 4
    load: Annotated[float | tuple[float, ...], _Checked] = 1.0
    base_ms: Number = 122.0
    queue_ms: Number = 434.0
    saturation: Number = 2.5
    least_spare: Number = 0.25
    spread: Number = 0.08
    disturbance: Number = 1.25
    slo_violations_ms: Number = 200.0
    slo_weighted_ms: Number = 300.0
    cost_of_violation: Number = 1.0
    weight_of_brokers: Number = 0.5
    record_bytes: Number = 124.0
    records_per_s: Number = 4000.0
    replication: Number = 3.0
    episodes: Whole = 10
    replay: Whole = 42
    batch: Whole = 10
    target_every: Whole = 5
    random_first: Whole = 10
    random_episodes: Whole = 2
    held_out: Whole = 256
    evaluate_every: Whole = 1
    gamma: Number = 0.99
    learning_rate: Number = 2.5e-4
    decay: Number = 0.9
    stabilizer: Number = 1e-7
    epsilon_first: Number = 1.0
    epsilon_last: Number = 0.1
    epsilon_share: Number = 0.5
    hidden: Annotated[tuple[int, ...], _Checked] = (64, 128, 256)
    optimizer: Name = "rmsprop"
    scaling: Name = "ranges"
    time_limit_ends: Annotated[bool, _Checked] = False

    def cells(self) -> list[Cell]:
        """What is trained, one task each."""
        return [
            Cell(self.name, agent, reward, variant)
            for variant in self.variants
            for reward in self.rewards
            for agent in self.agents
        ]

    def settings(self, variant: str) -> Settings:
        """Settings of a variant."""
        values = {name: getattr(self, name) for name in (*BROKERS, *AGENT)} | changes(variant)
        try:
            return Settings(
                check_brokers(BrokerSettings(**{name: values[name] for name in BROKERS})),
                check_agent(AgentSettings(**{name: values[name] for name in AGENT})),
            )
        except (InvalidParameterError, TypeError) as error:
            raise FieldError(f"`variants`: {variant}: {error}", "variants") from None

    @model_validator(mode="after")
    def _agree(self) -> Self:
        for variant in self.variants:
            self.settings(variant)
        total = math.prod((len(self.cells()), self.seeds, self.episodes, self.steps))
        if total > MAX_DECISIONS:
            raise FieldError(
                "`seeds` × agents × rewards × variants × episodes × steps must be at most "
                f"{MAX_DECISIONS:,} (got {total:,}); choose fewer seeds or episodes",
                "seeds",
                "episodes",
            )
        return self
