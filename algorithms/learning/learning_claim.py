"""One claim of the paper about trained agents: what an interval says, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from algorithms.inference.claim_shares import OPEN
from algorithms.learning.broker_training import Training
from algorithms.learning.learning_names import AGENTS, REWARDS
from algorithms.learning.success_verdicts import FEWEST

Cell = tuple[str, str]
"""Agent and reward."""

Runs = Mapping[Cell, Training]
"""Trainings by agent and reward."""

BOTH, ALL = "both", "all"
"""Subject of claims about several agents, and about several rewards."""


class Claim(NamedTuple):
    """One claim of the paper about some runs."""

    id: str
    """Its number in the list of published figures."""
    agent: str
    reward: str
    """`agent`, `reward`: what it is about; `BOTH` and `ALL` if about several."""
    measure: str
    """What `value` is."""
    value: float
    low: float
    high: float
    """`value`, `low`, `high`: the value with its 95 % interval."""
    says: str
    """What the interval alone says, however few seeds there are: ``reproduced``, ``not reproduced``
    or ``open``."""
    seeds: int
    """Number of seeds behind it."""
    lacks: tuple[str, ...] = ()
    """Runs that it needs and that are not there."""
    departs: tuple[str, ...] = ()
    """Settings that differ from those that the paper prints."""

    @property
    def verdict(self) -> str:
        """What the interval says if all that the claim needs was trained, else ``open``."""
        complete = self.seeds >= FEWEST and not (self.lacks or self.departs)
        return self.says if complete else OPEN


def lacking(
    cells: Iterable[Cell],
    agents: Iterable[str] = AGENTS,
    rewards: Iterable[str] = REWARDS,
) -> tuple[str, ...]:
    """Agents with rewards that are not among those found, as words.

    >>> lacking([("dqn", "count")], rewards=["count"])
    ('double_dqn with reward count',)
    """
    there = set(cells)
    pairs = [(agent, reward) for reward in rewards for agent in agents]
    return tuple(
        f"{agent} with reward {reward}" for agent, reward in pairs if (agent, reward) not in there
    )
