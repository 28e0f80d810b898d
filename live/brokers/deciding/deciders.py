"""Deciders on brokers: agents that learn or have learned, the optimum, and a rule."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from algorithms.learning import broker_baselines, measured_intervals
from algorithms.learning.broker_optimum import Plan
from algorithms.learning.measured_intervals import Limits
from algorithms.learning.online_agent import Chosen, OnlineAgent, Stored
from live.brokers.deciding.observed_interval import Observed


class Decider(Protocol):
    """Decides; episodes and steps are numbered from 0."""

    def refusal(self, seen: Observed) -> str:
        """Why it cannot decide on what it sees, in a line; empty if it can."""

    def choose(self, seen: Observed, episode: int, step: int) -> Chosen:
        """0 to remove a broker, 1 to keep them, 2 to add one."""

    def learn(
        self, seen: Observed, action: int, reward: float, following: Observed, is_last: bool
    ) -> float:
        """Learn from what the last action brought; returns the loss, NaN if it does not."""

    def stored(self) -> Stored:
        """All that it needs to go on, as arrays by name."""

    def restore(self, stored: Stored) -> None:
        """Go on from what was stored."""


class Fixed:
    """A `Decider` that learns nothing, and takes everything it sees."""

    def refusal(self, seen: Observed) -> str:
        """Never refuses."""
        return ""

    def learn(
        self, seen: Observed, action: int, reward: float, following: Observed, is_last: bool
    ) -> float:
        """Learns nothing."""
        return math.nan

    def stored(self) -> Stored:
        """Nothing."""
        return {}

    def restore(self, stored: Stored) -> None:
        """Nothing has changed."""


class Optimum(Fixed):
    """The best action for the measured rows; it looks at brokers and time alone."""

    def __init__(self, plan: Plan, least: int) -> None:
        self._plan, self._least = plan, least

    def choose(self, seen: Observed, episode: int, step: int) -> Chosen:
        """The plan's action."""
        return Chosen(int(self._plan.actions[step, seen.brokers - self._least]), False)


class Threshold(Fixed):
    """Adds a broker above the objective, and removes one below 0.8 of it."""

    def __init__(self, limit_ms: float) -> None:
        self._limit_ms = limit_ms

    def choose(self, seen: Observed, episode: int, step: int) -> Chosen:
        """The rule's action."""
        p95_ms = np.array([seen.p95_ms.end_to_end])
        return Chosen(int(broker_baselines.threshold(p95_ms, self._limit_ms)[0]), False)


class Learner:
    """An agent that learns where it acts; what lacks a value is no input, and teaches nothing."""

    def __init__(self, agent: OnlineAgent) -> None:
        self.agent = agent

    def refusal(self, seen: Observed) -> str:
        """Names the metric without a value."""
        return measured_intervals.refused(seen.metrics, None)

    def choose(self, seen: Observed, episode: int, step: int) -> Chosen:
        """The agent's action, which may be random."""
        return self.agent.choose(seen.metrics, episode, step)

    def learn(
        self, seen: Observed, action: int, reward: float, following: Observed, is_last: bool
    ) -> float:
        """One transition and one update."""
        if self.refusal(seen) or self.refusal(following):
            return math.nan
        return self.agent.learn(seen.metrics, action, reward, following.metrics, is_last)

    def stored(self) -> Stored:
        """The agent's."""
        return self.agent.stored()

    def restore(self, stored: Stored) -> None:
        """The agent goes on."""
        self.agent.restore(stored)


class Trained(Fixed):
    """An agent that has learned on measured rows, and refuses what is unlike them."""

    def __init__(self, agent: OnlineAgent, limits: Limits) -> None:
        self._agent, self._limits = agent, limits

    def refusal(self, seen: Observed) -> str:
        """Names the first metric out of range, its value and its range."""
        return measured_intervals.refused(seen.metrics, self._limits)

    def choose(self, seen: Observed, episode: int, step: int) -> Chosen:
        """The best action."""
        return self._agent.best(seen.metrics)
