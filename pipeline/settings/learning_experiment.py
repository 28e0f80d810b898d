"""Model of an experiment of the family `learning`: agents, rewards, and what they scale."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeVar

from pydantic import BeforeValidator, model_validator

from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.setting import declared, shared
from algorithms.core.setting_checks import checked
from algorithms.learning import broker_optimum
from algorithms.learning.agent_settings import AgentSettings, check_agent
from algorithms.learning.cluster_settings import BrokerSettings, check_brokers
from algorithms.learning.learned_group import (
    GROUP_AGENT,
    LearnedGroup,
    WindowTraining,
    check_learned_group,
)
from algorithms.learning.learning_names import AGENTS, REWARDS
from pipeline.base.text.quoting import named, shown
from pipeline.settings import field_checks
from pipeline.settings.field_checks import FieldError, checked_by
from pipeline.settings.group_fields import (
    BROKERS_SCALED,
    GROUP_SCALED,
    LATE,
    GroupFields,
    GroupVariant,
    group_settings,
)

BASE = "base"
"""The variant with the experiment's own settings."""

MAX_SEEDS, MAX_VARIANTS = 1000, 50

MAX_DECISIONS = 100_000_000
"""Decisions of an experiment, all agents together: some hours on two cores."""

SHAPES = ("episodes", "steps", "held_out", "evaluate_every", "min_brokers", "max_brokers")
"""Settings that all variants of an experiment share."""

# A variant's text gives single values.
_OF_BROKERS, _OF_AGENT = (
    tuple(
        item.name
        for item in declared(settings).values()
        if item.name not in SHAPES and (item.is_single or not item.is_series)
    )
    for settings in (BrokerSettings, AgentSettings)
)
_OF_GROUP = ("weight", "worst", *declared(WindowTraining))  # The group itself is the same for all.

TUNABLE = (*_OF_BROKERS, *_OF_AGENT, *_OF_GROUP)
"""Settings that a variant can change: those of the agent, and of what it scales."""


Part = TypeVar("Part")


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
    items = _several("rewards", value, len(REWARDS) + 1, ",".join(REWARDS))
    return tuple(field_checks.one_of("rewards", item, (*REWARDS, LATE)) for item in items)


def _variants(value: object) -> tuple[str, ...]:
    items = _several("variants", value, MAX_VARIANTS, f"{BASE},learning_rate=0.001")
    for item in items:
        changes(item)
    return tuple(str(item) for item in items)


def changes(variant: object) -> dict[str, Any]:
    """Settings that a variant changes, such as ``learning_rate=0.001:batch=32``, not checked.

    Raises FieldError if it has another form, or names an unknown setting.
    """
    if variant == BASE:
        return {}
    changed: dict[str, Any] = {}
    for part in str(variant).split(":"):
        key, sign, text = part.partition("=")
        if not sign or key not in TUNABLE:
            raise FieldError(
                f"`variants` must be {BASE} or SETTING=VALUE with one of {', '.join(TUNABLE)} "
                f"(got {named(variant)})",
                "variants",
            )
        changed[key] = _value(text)
    return changed


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class LearningExperiment(GroupFields, AgentSettings, BrokerSettings, frozen=True):
    """Agents that learn to scale the brokers of a simulated cluster, or a group's consumers.

    Settings of the environment that is not the experiment's do not count. Agents on groups have the
    defaults of `GROUP_AGENT`.
    """

    SHOWN_SIZES: ClassVar[tuple[str, ...]] = ("episodes", "seeds")
    COUNTED: ClassVar[str] = "agent"

    environment: Annotated[str, checked_by(field_checks.one_of, (BROKERS_SCALED, GROUP_SCALED))] = (
        BROKERS_SCALED
    )
    """What is scaled: the brokers of a cluster, or a consumer group."""
    agents: Annotated[tuple[str, ...], BeforeValidator(_agents)] = AGENTS
    """Agents, each of which is trained with each reward and variant."""
    rewards: Annotated[tuple[str, ...], BeforeValidator(_rewards)] = REWARDS
    """Rewards; agents on groups only have ``late``."""
    variants: Annotated[tuple[str, ...], BeforeValidator(_variants)] = (BASE,)
    """``base``, or changes of settings, such as ``learning_rate=0.001:batch=32``."""
    seeds: Annotated[int, checked_by(field_checks.whole, 1, MAX_SEEDS)] = 30
    """Agents that differ only in their random numbers."""

    def cells(self) -> list[Cell]:
        """What is trained, one task each."""
        return [
            Cell(self.name, agent, reward, variant)
            for variant in self.variants
            for reward in self.rewards
            for agent in self.agents
        ]

    @property
    def amount(self) -> int:
        """Number of agents."""
        return len(self.cells()) * self.seeds

    @property
    def scales_group(self) -> bool:
        """Whether the consumers of a group are scaled, not brokers."""
        return self.environment == GROUP_SCALED

    def settings(self, variant: str) -> Settings:
        """Settings of a variant of agents on brokers."""
        values = self._values(variant)
        with _named(variant):
            agent = check_agent(_pick(AgentSettings, values))
            return Settings(check_brokers(_pick(BrokerSettings, values)), agent)

    def group_settings(self, variant: str) -> GroupVariant:
        """Settings of a variant of agents on groups."""
        values = self._values(variant)
        with _named(variant):
            agent = check_agent(_pick(AgentSettings, values))
            return group_settings(values, agent, self.episodes)

    def weights(self) -> tuple[float, ...]:
        """Weights of late events among the variants of agents on groups, ascending."""
        return tuple(sorted({self.group_settings(one).group.weight for one in self.variants}))

    def _values(self, variant: str) -> dict[str, Any]:
        """All settings of a variant, of which only those of its environment can differ."""
        changed = changes(variant)
        own = _OF_GROUP if self.scales_group else _OF_BROKERS
        for name in changed:
            if name not in (*own, *_OF_AGENT):
                raise FieldError(
                    f"`variants`: {variant}: {name} does not apply to agents on "
                    f"{'groups' if self.scales_group else 'brokers'}; must be one of "
                    f"{', '.join((*own, *_OF_AGENT))}",
                    "variants",
                )
        return shared(self, declared(type(self))) | changed

    @model_validator(mode="before")
    @classmethod
    def _of_environment(cls, values: Any) -> Any:
        """Complete the settings of agents on groups by their own defaults."""
        if isinstance(values, Mapping) and values.get("environment") == GROUP_SCALED:
            return {**GROUP_AGENT, **values}
        return values

    @model_validator(mode="after")
    def _agree(self) -> Self:
        self._check_alone()
        if self.scales_group != (self.rewards == (LATE,)):
            raise FieldError(
                f"`rewards` must be {LATE} for agents on groups and of {', '.join(REWARDS)} for "
                f"agents on brokers (got {', '.join(self.rewards)})",
                "rewards",
                "environment",
            )
        for variant in self.variants:
            if self.scales_group:
                self._check_replay(variant, self.group_settings(variant))
            else:
                self._check_scores(variant, self.settings(variant).brokers)
        self._check_work()
        return self

    def _check_alone(self) -> None:
        """Check the experiment's own settings, so that messages name them and no variant."""
        values = self._values(BASE)
        with field_checks.naming():
            check_agent(_pick(AgentSettings, values))
            check_brokers(_pick(BrokerSettings, values))
            check_learned_group(_pick(LearnedGroup, values))
            checked(_pick(WindowTraining, values))

    def _check_replay(self, variant: str, settings: GroupVariant) -> None:
        """Refuse a replay memory that a single decision of all groups overfills."""
        windows, replay = settings.training.windows, settings.agent.replay
        if windows > replay:
            raise FieldError(
                f"`windows` must be at most `replay`, {replay:,} (got {windows:,} in variant "
                f"{variant}); choose fewer `windows` or raise `replay`",
                "windows",
                "replay",
            )

    def _check_scores(self, variant: str, brokers: BrokerSettings) -> None:
        """Refuse what no agent can be scored on: nothing is better than random actions."""
        if brokers.min_brokers == brokers.max_brokers:
            raise FieldError(
                f"`max_brokers` must be above `min_brokers`, {brokers.min_brokers} (got "
                f"{brokers.max_brokers}), or no action changes anything; raise `max_brokers`",
                "max_brokers",
                "min_brokers",
            )
        if brokers.steps * brokers.counts > broker_optimum.MOST_STATES:
            return  # The training checks it before it begins.
        for reward in self.rewards:
            if said := _no_score(brokers, reward):
                raise FieldError(f"`rewards`: variant {variant}: {said}", "rewards")

    def _check_work(self) -> None:
        own = ("decisions", "windows") if self.scales_group else ("episodes", "steps")
        total = math.prod(
            (len(self.cells()), self.seeds, *(int(getattr(self, name)) for name in own))
        )
        if total > MAX_DECISIONS:
            raise FieldError(
                f"`seeds` × agents × rewards × variants × {' × '.join(own)} must be at most "
                f"{MAX_DECISIONS:,} (got {total:,}); choose fewer seeds or {own[0]}",
                "seeds",
                own[0],
            )


def _pick(settings: type[Part], values: Mapping[str, Any]) -> Part:
    return settings(**{name: values[name] for name in declared(settings)})


@lru_cache(maxsize=1024)
def _no_score(brokers: BrokerSettings, reward: str) -> str:
    """Why there is no score; variants of the agent share a cluster."""
    try:
        broker_optimum.ends(brokers, reward, broker_optimum.starts(brokers))
    except InvalidParameterError as error:
        return str(error)
    return ""


@contextmanager
def _named(variant: str) -> Iterator[None]:
    """Turn an error of a setting into one that names the variant."""
    try:
        yield
    except (InvalidParameterError, TypeError) as error:
        raise FieldError(f"`variants`: {variant}: {error}", "variants") from None
