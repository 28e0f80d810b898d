"""The best that any policy can do on brokers, and the value of random actions, exactly."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_model
from algorithms.learning.cluster_settings import BrokerSettings

LEAST_GAP = 1e-9
"""Least distance between both ends of a score, relative to 1 + the optimum: less is rounding."""


MOST_STATES = 100_000
"""Steps times numbers of brokers up to which both ends take less than a second."""


class Ends(NamedTuple):
    """Mean expected return of random actions, and of the optimum."""

    worst: float
    best: float


class Plan(NamedTuple):
    """Backward induction over steps and the B numbers of brokers from the least."""

    values: Floats
    """float64[steps + 1, B]: expected sum of the rewards to come, not discounted; 0 after the last
    step."""
    actions: Longs
    """int64[steps, B]: best action: 0 remove a broker, 1 keep them, 2 add one. Ties: keep, then
    remove."""


def expected_rewards(settings: BrokerSettings, reward: str) -> Floats:
    """Expected reward of each action, ``float64[steps, B, 3]``.

    ``P(L <= c)`` is the product over scrapes of ``Phi(ln(c / l_i) / spread)``: scrapes are
    independent and log-normal, and L is the largest.
    """
    loads, before, after = _moves(settings)
    fixed: Floats = broker_model.fixed_reward(settings, reward, after) * np.ones_like(loads)
    if reward == "count":
        return fixed
    factor = np.where(after != before, settings.disturbance, 1.0)
    first = broker_model.latency_ms(settings, before, loads, np) * factor
    last = broker_model.latency_ms(settings, after, loads, np)
    edges, penalties = broker_model.PENALTIES[reward]
    weight = broker_model.penalty_weight(settings, reward)
    worse = np.zeros_like(first)
    for edge, penalty in zip(edges, penalties, strict=True):
        limit = broker_model.objective_ms(settings, reward) * (1.0 + edge)
        exceeds = 1.0 - _below(settings, limit, first, last)
        fixed = fixed - weight * penalty * (exceeds - worse)
        worse = exceeds
    return fixed


def plan(settings: BrokerSettings, reward: str) -> Plan:
    """Best action and value for each step and number of brokers; O(steps B).

    With a series of loads it knows all of them in advance: the clairvoyant bound.

    >>> np.round(plan(BrokerSettings(), "weighted").values[0, 3], 2)
    np.float64(-8.67)
    """
    return induction(settings, expected_rewards(settings, reward))


def induction(settings: BrokerSettings, rewards: Floats) -> Plan:
    """The plan for expected rewards of each action, ``float64[steps, B, 3]``; O(steps B)."""
    following = following_counts(settings)
    values = np.zeros((settings.steps + 1, settings.counts))
    actions = np.empty((settings.steps, settings.counts), np.int64)
    order = np.array([1, 0, 2])
    for k in range(settings.steps - 1, -1, -1):
        worth = rewards[k] + values[k + 1][following]
        actions[k] = order[worth[:, order].argmax(axis=1)]
        values[k] = worth.max(axis=1)
    return Plan(values, actions)


def optimum(settings: BrokerSettings, reward: str) -> Floats:
    """Greatest expected return from each number of brokers at the start, ``float64[B]``."""
    values: Floats = plan(settings, reward).values[0]
    return values


def random_values(settings: BrokerSettings, reward: str) -> Floats:
    """Expected return of uniformly random actions from each start, ``float64[B]``."""
    rewards, following = expected_rewards(settings, reward), following_counts(settings)
    values: Floats = np.zeros(settings.counts)
    for k in range(settings.steps - 1, -1, -1):
        values = (rewards[k] + values[following]).mean(axis=1)
    return values


@lru_cache(maxsize=64)
def _both(settings: BrokerSettings, reward: str) -> tuple[Floats, Floats]:
    """Values of random actions and of the best; verdicts ask for the same ones again and again."""
    return random_values(settings, reward), optimum(settings, reward)


def ends(settings: BrokerSettings, reward: str, starts: Longs) -> Ends:
    """Both ends of a score.

    starts: int64[n], brokers at the start of the episodes.
    Raises InvalidParameterError if there is none: random actions are as good as the optimum.
    """
    index = starts - settings.min_brokers
    worst, best = (float(values[index].mean()) for values in _both(settings, reward))
    least = LEAST_GAP * (1.0 + abs(best))
    if not best - worst > least:
        raise InvalidParameterError(
            f"the best return with reward {reward} must be above that of random actions, "
            f"{worst:.6g}, by more than {least:.2g} (got {best - worst:.2g}), or nothing can be "
            f"learned; choose another reward, load or bounds of the brokers"
        )
    return Ends(worst, best)


def starts(settings: BrokerSettings) -> Longs:
    """All numbers of brokers that an episode can begin with, ``int64[n]``."""
    if settings.start_brokers is not None:
        return np.array([settings.start_brokers])
    return np.arange(settings.min_brokers, settings.max_brokers + 1)


def _moves(settings: BrokerSettings) -> tuple[Floats, Longs, Longs]:
    loads = settings.loads()[:, None, None]
    before = np.arange(settings.min_brokers, settings.max_brokers + 1)[None, :, None]
    return loads, before, (following_counts(settings) + settings.min_brokers)[None]


def following_counts(settings: BrokerSettings) -> Longs:
    """Index of the number of brokers after each action, ``int64[B, 3]``."""
    index = np.arange(settings.counts)[:, None] + np.arange(-1, 2)
    following: Longs = np.clip(index, 0, settings.counts - 1)
    return following


def _below(settings: BrokerSettings, limit: float, first: Floats, last: Floats) -> Floats:
    from scipy.special import ndtr

    k = settings.scrapes_changing
    early: Floats = ndtr(np.log(limit / first) / settings.spread) ** k
    late: Floats = ndtr(np.log(limit / last) / settings.spread) ** (settings.scrapes - k)
    return early * late
