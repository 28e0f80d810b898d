"""The paper's claims on brokers, and what trained agents say of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from algorithms.inference.claim_shares import exact_share, word_of
from algorithms.inference.intervals import mean_interval
from algorithms.learning import broker_optimum, broker_rollout
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.broker_training import Training
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_claim import ALL, BOTH, Cell, Claim, Runs, lacking
from algorithms.learning.learning_names import AGENTS, REWARDS
from algorithms.learning.printed_settings import departures
from algorithms.learning.success_verdicts import SUCCESS, scores, word_of_equality

Finals = Mapping[Cell, Floats]
"""Scores after the last episode by agent and reward, one per seed."""


def claims(
    runs: Runs, brokers: BrokerSettings, settings: AgentSettings, root: int
) -> tuple[Claim, ...]:
    """What trainings say of the claims R1 to R5 and R7, as far as their runs are there.

    R1 to R3 and R7 (success within the budget) go by the share of seeds with a score of at least
    `SUCCESS`. R4 is about the share of seeds and episodes of training in which Double DQN has the
    higher return; the seeds are resampled. R5, that both do equally well, is about the difference
    in return per episode of training, in scores; it is never reproduced by a difference that is
    merely not significant. All of them are about the printed settings, and R7 about all agents and
    rewards: otherwise they stay open and say what is missing. The others are not about runs of
    this kind: R6 holds by configuration, R8 is about weights, R9 needs raw metrics, R10 is by
    construction, and R11 has no values.

    runs: Trainings by (agent, reward); all have the same seeds in the same order.
    root: Root seed of the trainings.
    """
    final = final_scores(runs, brokers, settings, root)
    result = [
        _success(f"R{number}", agent, reward, final[agent, reward])
        for number, reward in enumerate(REWARDS, 1)
        for agent in AGENTS
        if (agent, reward) in final
    ]
    for reward in REWARDS:
        if all((agent, reward) in runs for agent in AGENTS):
            dqn, double = (runs[agent, reward] for agent in AGENTS)
            if reward == "weighted":
                result.append(_higher(dqn, double, reward, root))
            result.append(_equally_good(dqn, double, reward, brokers, root))
    if final:
        every = np.stack(list(final.values())).min(axis=0)
        result.append(_success("R7", BOTH, ALL, every)._replace(lacks=lacking(runs)))
    departs = departures(brokers, settings)
    return tuple(claim._replace(departs=departs) for claim in result)


def final_scores(
    runs: Runs, brokers: BrokerSettings, settings: AgentSettings, root: int
) -> dict[Cell, Floats]:
    """Score of each seed on the held-out episodes after the last episode of training."""
    starts = broker_rollout.held_out(brokers, settings.held_out, root).starts
    return {
        (agent, reward): scores(run.greedy_returns[:, -1], brokers, reward, starts)
        for (agent, reward), run in runs.items()
    }


def _success(number: str, agent: str, reward: str, final: Floats) -> Claim:
    share, low, high = exact_share(int((final >= SUCCESS).sum()), final.size)
    measure = "share of seeds that succeed"
    return Claim(number, agent, reward, measure, share, low, high, word_of(low, high), final.size)


def _higher(dqn: Training, double: Training, reward: str, root: int) -> Claim:
    """R4, paired by seed and episode; a draw is not higher."""
    shares = (double.returns > dqn.returns).mean(axis=1)
    interval = mean_interval(shares, seed=derive_seed(root, "claim", "R4"))
    measure = "share of seeds and training episodes with DDQN higher"
    return Claim(
        "R4", BOTH, reward, measure, *interval, word_of(interval.low, interval.high), shares.size
    )


def _equally_good(
    dqn: Training, double: Training, reward: str, brokers: BrokerSettings, root: int
) -> Claim:
    """R5, paired by seed; both have the same starts, which cancel in a difference of scores."""
    anywhere = broker_optimum.starts(brokers)
    of_double, of_dqn = (
        scores(run.returns.mean(axis=1), brokers, reward, anywhere) for run in (double, dqn)
    )
    interval = mean_interval(of_double - of_dqn, seed=derive_seed(root, "claim", reward))
    measure = "difference in score per training episode, DDQN - DQN"
    says = word_of_equality(interval.low, interval.high)
    return Claim("R5", BOTH, reward, measure, *interval, says, of_dqn.size)
