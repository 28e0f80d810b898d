"""Which inputs of a policy decide nothing, and how large their weights are (claim R8)."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.learning import broker_rollout, policy_network
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.broker_rollout import Episodes, Seen
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.policy_network import Weights

EPISODES = 4
"""Held-out episodes whose decisions are looked at: each input takes a pass over all of them."""

INSIGNIFICANT = 0.01
"""Largest share of decisions that an insignificant input changes."""


def idle_weight(
    weights: Weights, brokers: BrokerSettings, agent: AgentSettings, reward: str, drawn: Episodes
) -> float:
    """Norm of the weights of insignificant inputs, relative to that before training.

    An input is insignificant if its mean in its place changes at most `INSIGNIFICANT` of the
    decisions of the policy, which acts greedily in the first `EPISODES` episodes. The norm is that
    of its weights in the first layer, the mean over these inputs, divided by the root of its
    expected square as drawn (Xavier uniform: variance 2/(inputs + outputs)).

    Returns: NaN if every input is significant.
    """
    first = weights[0].astype(np.float64)
    n_inputs, n_outputs = first.shape
    inputs = _inputs(weights, brokers, agent, reward, drawn)
    idle = changed(weights, inputs) <= INSIGNIFICANT
    if not idle.any():
        return float("nan")
    at_start = np.sqrt(n_outputs * 2.0 / (n_inputs + n_outputs))
    return float(np.linalg.norm(first[idle], axis=1).mean() / at_start)


def changed(weights: Weights, inputs: Floats) -> Floats:
    """Share of decisions that change if an input is replaced by its mean.

    inputs: float64[n, I], inputs of the network.
    Returns: float64[I], O(I) passes through the network, in float32.
    """
    rows = inputs.astype(np.float32)
    decided = policy_network.action_values(weights, rows).argmax(axis=1)
    shares = np.empty(rows.shape[1])
    for k, mean in enumerate(rows.mean(axis=0)):
        without = rows.copy()
        without[:, k] = mean
        values = policy_network.action_values(weights, without)
        shares[k] = (values.argmax(axis=1) != decided).mean()
    return shares


def _inputs(
    weights: Weights, brokers: BrokerSettings, agent: AgentSettings, reward: str, drawn: Episodes
) -> Floats:
    """Inputs of all decisions that the policy makes in the episodes."""
    inputs = []

    def greedy(seen: Seen) -> Longs:
        inputs.append(policy_network.inputs_of(seen.observations, agent.scaling, brokers))
        best: Longs = policy_network.action_values(weights, inputs[-1]).argmax(axis=1)
        return best

    few = Episodes(drawn.starts[:EPISODES], drawn.noise[:EPISODES])
    broker_rollout.roll(brokers, reward, few, greedy)
    return np.concatenate(inputs)
