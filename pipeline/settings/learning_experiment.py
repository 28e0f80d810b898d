"""Model of an experiment of the family `learning`: agents, rewards, and what they scale."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import lru_cache
from typing import Annotated, Any, ClassVar, NamedTuple, Self

from pydantic import BeforeValidator, ValidationInfo, model_validator

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_optimum
from algorithms.learning.agent_settings import AgentSettings, check_agent
from algorithms.learning.cluster_settings import BrokerSettings, check_brokers
from algorithms.learning.learned_group import GROUP_AGENT
from algorithms.learning.learning_names import AGENTS, REWARDS
from pipeline.base.text.quoting import named, shown
from pipeline.settings import field_checks
from pipeline.settings.field_checks import FieldError, checked_by
from pipeline.settings.group_fields import (
    BROKERS_SCALED,
    GROUP,
    GROUP_SCALED,
    LATE,
    TRAINING,
    GroupFields,
    GroupSettings,
    group_settings,
)

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

_OF_AGENT = tuple(name for name in AGENT if name not in (*SHAPES, "hidden"))
# A variant's text gives single values.
_OF_BROKERS = tuple(
    name
    for name, default in BROKERS.items()
    if name not in SHAPES and not isinstance(default, tuple)
)
_OF_GROUP = ("weight", "worst", *TRAINING)  # The group itself is the same for all.

TUNABLE = (*_OF_BROKERS, *_OF_AGENT, *_OF_GROUP)
"""Settings that a variant can change: those of the agent, and of what it scales."""


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
    beside = {
        "load": ("steps",),
        "batch": ("replay",),
        "min_brokers": ("max_brokers",),
        "start_brokers": ("min_brokers", "max_brokers"),
        "local_shares": ("queue_shares",),
    }
    given = {key: info.data[key] for key in beside.get(name, ()) if key in info.data}
    # Otherwise a large batch, say, is refused before the replay that it fits in is known.
    given |= {"min_brokers": 1} if name == "max_brokers" else {}
    given |= {"batch": 1} if name == "replay" else {}
    given |= {"local_shares": (0.0, 0.0, 0.0)} if name == "queue_shares" else {}
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
Numbers = Annotated[tuple[float, ...], _Checked]


class LearningExperiment(GroupFields):
    """Agents that learn to scale the brokers of a simulated cluster, or a group's consumers.

    The settings of `BrokerSettings` and `AgentSettings` are explained there. Those of the
    environment that is not the experiment's do not count. Agents on groups have the defaults of
    `GROUP_AGENT`.

    Attributes
    ----------
    environment
        What is scaled: ``brokers`` or ``group``.
    agents, rewards, variants
        What is trained: each agent with each reward and variant. A variant is ``base``, or changes
        settings, such as ``learning_rate=0.001``.
    seeds
        Agents that differ only in their random numbers.
    """

    SHOWN_SIZES: ClassVar[tuple[str, ...]] = ("episodes", "seeds")
    COUNTED: ClassVar[str] = "agent"

    environment: Annotated[str, checked_by(field_checks.one_of, (BROKERS_SCALED, GROUP_SCALED))] = (
        BROKERS_SCALED
    )
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
    start_brokers: Annotated[int | None, _Checked] = None
    metric_peak: Number = 1.1
    response_share: Number = 0.05
    records_per_request: Number = 20.0
    total_shares: Numbers = (0.60, 0.25, 0.15)
    queue_shares: Numbers = (0.5, 0.3, 0.3)
    local_shares: Numbers = (0.2, 0.6, 0.5)
    metric_ranges: Numbers = (1.0, 2e6, 2e6, 1e4, 2e4, 100.0, 1e3, 5e3, 500.0, 1500.0)
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
            agent = check_agent(AgentSettings(**{name: values[name] for name in AGENT}))
            brokers = BrokerSettings(**{name: values[name] for name in BROKERS})
            return Settings(check_brokers(brokers), agent)

    def group_settings(self, variant: str) -> GroupSettings:
        """Settings of a variant of agents on groups."""
        values = self._values(variant)
        with _named(variant):
            agent = check_agent(AgentSettings(**{name: values[name] for name in AGENT}))
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
        names = (*BROKERS, *AGENT, *GROUP, *TRAINING)
        return {name: getattr(self, name) for name in names} | changed

    @model_validator(mode="before")
    @classmethod
    def _of_environment(cls, values: Any) -> Any:
        """Complete the settings of agents on groups by their own defaults."""
        if isinstance(values, Mapping) and values.get("environment") == GROUP_SCALED:
            return {**GROUP_AGENT, **values}
        return values

    @model_validator(mode="after")
    def _agree(self) -> Self:
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

    def _check_replay(self, variant: str, settings: GroupSettings) -> None:
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
