"""The paper's claims on brokers, and what trained agents say of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from algorithms.inference.intervals import Interval, mean_interval
from algorithms.learning import broker_rollout
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.broker_training import Training
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_names import AGENTS, REWARDS
from algorithms.learning.success_verdicts import (
    OPEN,
    SUCCESS,
    scores,
    share_verdict,
    verdict_of,
)

Runs = Mapping[tuple[str, str], Training]
"""Trainings by agent and reward."""


class Claim(NamedTuple):
    """One claim of the paper about some runs.

    Attributes
    ----------
    id : str
        Its number in the list of published figures.
    agent, reward : str
        What it is about; ``both`` and ``all`` if about several.
    measure : str
        What `value` is.
    value, low, high : float
        The value with its 95 % interval.
    verdict : str
        ``reproduced``, ``not reproduced`` or ``open``.
    seeds : int
        Number of seeds behind it.
    """

    id: str
    agent: str
    reward: str
    measure: str
    value: float
    low: float
    high: float
    verdict: str
    seeds: int


def claims(
    runs: Runs, brokers: BrokerSettings, settings: AgentSettings, root: int
) -> tuple[Claim, ...]:
    """Verdicts on the claims R1 to R5 and R7, as far as their runs are there.

    R1 to R3 and R7 (success within the budget) go by the share of seeds with a score of at least
    `SUCCESS`. R4 is about the difference in training returns, Double DQN minus DQN, by the share of
    seeds whose mean difference is positive. R5, that both do equally well, is never reproduced by a
    difference that is merely not significant: its difference in scores is equal if the whole
    interval is within 0.05. The others are not about runs of this kind: R6 holds by configuration,
    R8 is about weights, R9 needs variants, R10 is by construction, and R11 has no values.

    Parameters
    ----------
    runs : mapping
        Trainings by (agent, reward); those of one reward have the same seeds in the same order.
    brokers, settings : BrokerSettings, AgentSettings
        What they were trained with.
    root : int
        Root seed of the trainings.
    """
    starts = broker_rollout.held_out(brokers, settings.held_out, root).starts
    final = {
        (agent, reward): scores(run.greedy_returns[:, -1], brokers, reward, starts)
        for (agent, reward), run in runs.items()
    }
    result = [
        _success(f"R{number}", agent, reward, final[agent, reward])
        for number, reward in enumerate(REWARDS, 1)
        for agent in AGENTS
        if (agent, reward) in final
    ]
    for reward in REWARDS:
        if all((agent, reward) in runs for agent in AGENTS):
            result += _between(runs, final, reward, root)
    if final:
        every = np.stack(list(final.values()))
        result.append(_success("R7", "both", "all", every.min(axis=0)))
    return tuple(result)


def _success(id: str, agent: str, reward: str, final: Floats) -> Claim:
    found = share_verdict(int((final >= SUCCESS).sum()), final.size)
    return Claim(id, agent, reward, "share of seeds that succeed", *found, final.size)


def _between(
    runs: Runs, final: Mapping[tuple[str, str], Floats], reward: str, root: int
) -> list[Claim]:
    """R4 and R5 for one reward, paired by seed."""
    dqn, double = (runs[agent, reward] for agent in AGENTS)
    result = []
    if reward == "weighted":
        higher = (double.returns - dqn.returns).mean(axis=1) > 0.0
        share = share_verdict(int(higher.sum()), higher.size)
        result.append(
            Claim("R4", "both", reward, "share of seeds with DDQN higher", *share, higher.size)
        )
    difference = final["double_dqn", reward] - final["dqn", reward]
    interval = mean_interval(difference, seed=derive_seed(root, "claim", reward))
    result.append(
        Claim(
            "R5",
            "both",
            reward,
            "difference in score, DDQN - DQN",
            *interval,
            _equal(interval, difference.size),
            difference.size,
        )
    )
    return result


def _equal(interval: Interval, seeds: int) -> str:
    """Equal if the interval is within the margin, different if it is outside, else open."""
    margin = 1.0 - SUCCESS
    if np.isnan(interval.low):
        return OPEN
    within = verdict_of(margin - max(abs(interval.low), abs(interval.high)), 0.0, 0.0, seeds)
    if within != OPEN:
        return within
    nearest = max(interval.low, -interval.high, 0.0)
    return verdict_of(-1.0, margin - nearest, 0.0, seeds)
