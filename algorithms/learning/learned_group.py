"""Settings of the consumer group that agents are trained on, and of their training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from algorithms.autoscaling.group_defaults import PAPER_GROUP
from algorithms.autoscaling.trained.trained_policy import ACTIONS
from algorithms.core.group_declarations import ServedGroup
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.setting import setting
from algorithms.core.setting_checks import checked
from algorithms.learning.agent_settings import AgentSettings, check_agent

MOST_PARTITIONS = 64
"""The model's time grows with the square of the partitions."""

LEAST_SECONDS, MOST_SECONDS = 100, 100_000
"""Length of a trace."""

TRAIN_SHARE = 0.6
"""Share of a trace that is split by time on which agents train: its beginning."""


@dataclass(frozen=True, kw_only=True)
class LearnedGroup(ServedGroup):
    """A consumer group whose partitions have equal rates, and what its agent is paid for."""

    partitions: int = setting(5, "Partitions.", "partitions", at_least=1, at_most=MOST_PARTITIONS)
    weight: float = setting(
        5.0, "Price of late_unit late events, in seconds of all replicas.", "s", at_least=0
    )
    late_unit: float = setting(100.0, "Late events that the weight is for.", "events", above=0)
    worst: float = setting(5.0, "The reward of a second is at least minus this.", "s", above=0)

    @property
    def limit_s(self) -> float:
        """Time that an event may wait: the latency bound less half a service time, seconds."""
        return self.wsla_s - 0.5 / self.mu

    @property
    def in_time(self) -> float:
        """Events of a burst that one consumer serves in time."""
        return max(self.mu * self.wsla_s - 0.5, 0.0)

    @property
    def simulated(self) -> dict[str, Any]:
        """Settings for `algorithms.simulation.simulate`: replicas start at once, lags are true."""
        return {
            **PAPER_GROUP,
            "arrivals": "burst",
            "mu": self.mu,
            "wsla_s": self.wsla_s,
            "rebalance_s": self.rebalance_s,
        }


@dataclass(frozen=True, kw_only=True)
class WindowTraining:
    """How agents are trained on windows of traces."""

    action: str = setting("target", "What the network's outputs stand for.", one_of=ACTIONS)
    windows: int = setting(
        16,
        "Groups side by side, each on a window of the training part.",
        "windows",
        at_least=1,
        at_most=4096,
    )
    window_s: int = setting(240, "Length of a window.", "s", at_least=1, at_most=100_000)
    decisions: int = setting(
        8_000, "Decisions of each group.", "decisions", at_least=1, at_most=10_000_000
    )
    updates: int = setting(
        2, "Updates after each decision of all groups.", "updates", at_least=1, at_most=1000
    )
    rate_least: float = setting(
        0.6,
        "Rates of a window are multiplied by a factor that is uniform from here.",
        "ratio",
        above=0,
    )
    rate_most: float = setting(1.3, "To here.", "ratio", at_least=(0, "rate_least"))


@dataclass(frozen=True, kw_only=True)
class GroupTraining(WindowTraining):
    """The same, with how often agents are judged."""

    judged: int = setting(
        8,
        "Times that the greedy policy is judged on the validation part: the best one is kept.",
        "times",
        at_least=1,
        at_most=(10_000_000, "decisions"),
    )


GROUP_AGENT: Final[Mapping[str, Any]] = {
    "hidden": (64, 64),
    "replay": 50_000,
    "batch": 32,
    "target_every": 250,
    "gamma": 0.98,
    "decay": 0.95,
    "epsilon_last": 0.05,
}
"""Settings of agents on groups that differ from those on brokers."""


def group_agent(**changes: Any) -> AgentSettings:
    """Settings of an agent on a group.

    >>> group_agent(batch=64).hidden
    (64, 64)
    """
    return check_agent(AgentSettings(**{**GROUP_AGENT, **changes}))


def spelled_weight(weight: float) -> str:
    """A weight as variants write it; different texts for different weights.

    >>> spelled_weight(5.0), spelled_weight(0.1234567)
    ('weight=5', 'weight=0.1234567')
    """
    short = f"{weight:g}"
    return f"weight={short if float(short) == weight else repr(weight)}"


def training_seconds(seconds: int) -> int:
    """Length of the part for training of a trace that is split by time.

    >>> training_seconds(400)
    240
    """
    return round(TRAIN_SHARE * seconds)


def check_learned_group(group: LearnedGroup) -> LearnedGroup:
    """Return the settings with plain numbers, or raise if one is invalid."""
    result = checked(group)
    if result.limit_s > 1.0:
        raise InvalidParameterError(
            f"wsla_s must be at most 1 s, the time between bursts (got {group.wsla_s:g})"
        )
    return result


def check_training(training: GroupTraining) -> GroupTraining:
    """Return the settings with plain numbers, or raise if one is invalid."""
    return checked(training)
