"""Settings of the consumer group that agents are trained on, and of their training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from algorithms.autoscaling.group_defaults import DEFAULTS, PAPER_GROUP
from algorithms.autoscaling.number_checks import check_number
from algorithms.autoscaling.trained.trained_policy import ACTIONS
from algorithms.core.arrays import check_count
from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning.agent_settings import AgentSettings, check_agent
from algorithms.learning.learning_names import check_name

MOST_PARTITIONS = 64
"""The model's time grows with the square of the partitions."""

LEAST_SECONDS, MOST_SECONDS = 100, 100_000
"""Length of a trace."""

TRAIN_SHARE = 0.6
"""Share of a trace that is split by time on which agents train: its beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedGroup:
    """A consumer group, and what its agent is paid for.

    Attributes
    ----------
    partitions : int
        Partitions P, which have equal rates.
    mu, wsla_s, rebalance_s : float
        As in `algorithms.simulation.group_settings.GroupSettings`.
    weight : float
        Price of `late_unit` late events, in seconds of all P replicas.
    late_unit : float
        Late events that the weight is for.
    worst : float
        The reward of a second is at least minus this.
    """

    partitions: int = 5
    mu: float = DEFAULTS["mu"]
    wsla_s: float = DEFAULTS["wsla_s"]
    rebalance_s: float = DEFAULTS["rebalance_s"]
    weight: float = 5.0
    late_unit: float = 100.0
    worst: float = 5.0

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
        """Settings of this group for `algorithms.simulation.simulate`.

        Its replicas start at once, and its agents see the true lag.
        """
        return {
            **PAPER_GROUP,
            "arrivals": "burst",
            "mu": self.mu,
            "wsla_s": self.wsla_s,
            "rebalance_s": self.rebalance_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTraining:
    """How agents are trained on a group.

    Attributes
    ----------
    action : str
        What the network's outputs stand for; see
        `algorithms.autoscaling.trained.trained_policy.ACTIONS`.
    windows, window_s : int
        Groups side by side, each on a window of the training part, and its length in seconds.
    decisions : int
        Decisions of each group.
    updates : int
        Updates after each decision of all groups.
    rate_least, rate_most : float
        Rates of a window are multiplied by a factor that is uniform between these.
    judged : int
        Times that the greedy policy is judged on the validation part: the best one is kept.
    """

    action: str = "target"
    windows: int = 16
    window_s: int = 240
    decisions: int = 8_000
    updates: int = 2
    rate_least: float = 0.6
    rate_most: float = 1.3
    judged: int = 8


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

    Examples
    --------
    >>> group_agent(batch=64).hidden
    (64, 64)
    """
    return check_agent(AgentSettings(**{**GROUP_AGENT, **changes}))


def spelled_weight(weight: float) -> str:
    """A weight as variants write it; different texts for different weights.

    Examples
    --------
    >>> spelled_weight(5.0), spelled_weight(0.1234567)
    ('weight=5', 'weight=0.1234567')
    """
    short = f"{weight:g}"
    return f"weight={short if float(short) == weight else repr(weight)}"


def training_seconds(seconds: int) -> int:
    """Length of the part for training of a trace that is split by time.

    Examples
    --------
    >>> training_seconds(400)
    240
    """
    return round(TRAIN_SHARE * seconds)


def check_learned_group(group: LearnedGroup) -> LearnedGroup:
    """Return the settings with plain numbers, or raise if one is invalid.

    Raises
    ------
    InvalidParameterError
        If a setting is out of bounds; the message names it.
    """
    values = asdict(group)
    positive = ("mu", "wsla_s", "late_unit", "worst")
    checked: dict[str, Any] = {
        name: check_number(name, values[name], above=0.0) for name in positive
    }
    for name in ("rebalance_s", "weight"):
        checked[name] = check_number(name, values[name], at_least=0.0)
    checked["partitions"] = check_count("partitions", group.partitions, 1, MOST_PARTITIONS)
    result = replace(group, **checked)
    if result.limit_s > 1.0:
        raise InvalidParameterError(
            f"wsla_s must be at most 1 s, the time between bursts (got {group.wsla_s:g})"
        )
    return result


def check_training(training: GroupTraining) -> GroupTraining:
    """Return the settings with plain numbers, or raise if one is invalid.

    Raises
    ------
    InvalidParameterError
        If a setting is out of bounds; the message names it.
    """
    check_name("action", training.action, ACTIONS)
    counts = {"windows": 4096, "window_s": 100_000, "decisions": 10_000_000, "updates": 1000}
    checked: dict[str, Any] = {
        name: check_count(name, getattr(training, name), 1, most) for name, most in counts.items()
    }
    checked["judged"] = check_count("judged", training.judged, 1, checked["decisions"])
    least = check_number("rate_least", training.rate_least, above=0.0)
    checked["rate_least"] = least
    checked["rate_most"] = check_number("rate_most", training.rate_most, at_least=least)
    return replace(training, **checked)
