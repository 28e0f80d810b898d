"""Clusters of brokers side by side: their noise, one step of all, and episodes of a policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.many_generators import generators
from algorithms.core.seeds import derive_seed
from algorithms.learning import broker_model
from algorithms.learning.cluster_settings import BrokerSettings


class Episodes(NamedTuple):
    """Everything random in n episodes."""

    starts: Longs
    """int64[n]: brokers at the start."""
    noise: Floats
    """float64[n, steps + 1, scrapes]: factors of scraped latencies; the first row is observed
    before the first decision."""


class Stepped(NamedTuple):
    """One step of E clusters."""

    brokers: Longs
    """int64[E]: brokers after the action."""
    observations: Floats
    """float64[E, 37]: the metrics."""
    rewards: Floats
    p95_ms: Floats
    """`rewards`, `p95_ms`: float64[E]: reward, and 95th percentile of latency in ms."""
    moved: Bools
    """bool[E]: whether the number of brokers changed."""


class Seen(NamedTuple):
    """What a policy may use: step, brokers int64[n], 95th percentile in ms, metrics [n, 37]."""

    step: int
    brokers: Longs
    p95_ms: Floats
    observations: Floats


class Rollout(NamedTuple):
    """Results of n episodes."""

    returns: Floats
    """float64[n]: sum of rewards, not discounted."""
    brokers: Longs
    """int64[n]: brokers after the last decision."""
    over: Floats
    """float64[n]: share of intervals whose 95th percentile exceeds the reward's objective."""
    moves: Longs
    """int64[n]: changes of the number of brokers."""


Policy = Callable[[Seen], Longs]


def episode(settings: BrokerSettings, root: int, cluster: int, index: int) -> Episodes:
    """Draw one episode of one cluster; it depends on the arguments alone. O(steps)."""
    return drawn(settings, [episode_seed(root, cluster, index)])


def episode_seed(root: int, cluster: int, index: int) -> int:
    """Seed of one episode of one cluster."""
    return derive_seed(root, "brokers", cluster, index)


def episodes(settings: BrokerSettings, root: int, clusters: range, indices: range) -> Episodes:
    """Episodes of several clusters: those of the first cluster come first."""
    return drawn(settings, [episode_seed(root, e, i) for e in clusters for i in indices])


def drawn(settings: BrokerSettings, seeds: Sequence[int]) -> Episodes:
    """Draw an episode from each seed alone: noise is the same where settings name the start."""
    n, least, most = len(seeds), settings.min_brokers, settings.max_brokers
    starts, noise = np.empty(n, np.int64), np.empty((n, settings.steps + 1, settings.scrapes))
    for i, draws in enumerate(generators(seeds)):
        starts[i] = draws.integers(least, most + 1)
        draws.standard_normal(out=noise[i])
    if settings.start_brokers is not None:
        starts[:] = settings.start_brokers
    noise *= settings.spread
    return Episodes(starts, np.exp(noise, out=noise))


def held_out(settings: BrokerSettings, count: int, root: int) -> Episodes:
    """Episodes on which policies are judged; no training uses them."""
    return episodes(settings, derive_seed(root, "held out"), range(count), range(1))


def observe_first(settings: BrokerSettings, drawn: Episodes) -> Stepped:
    """What is seen before the first decision, from an interval without a change."""
    return step(settings, "count", drawn.starts, np.ones_like(drawn.starts), 0, drawn.noise[:, 0])


def step(
    settings: BrokerSettings,
    reward: str,
    brokers: Longs,
    actions: Longs,
    index: int,
    noise: Floats,
) -> Stepped:
    """Step E clusters at once.

    reward: One of `algorithms.learning.learning_names.REWARDS`.
    brokers, actions: int64[E], brokers before, and what to do: 0 remove one, 1 keep them, 2 add
        one.
    index: Step of the episode, from 0; the load depends on it.
    noise: float64[E, scrapes], factors of scraped latencies.
    """
    load = settings.loads()[index]
    result = broker_model.interval(settings, brokers, actions, load, noise, np)
    return Stepped(
        brokers=result.brokers,
        observations=broker_model.metrics_of(settings, result, load, np),
        rewards=broker_model.reward_of(settings, reward, result.brokers, result.p95_ms, np),
        p95_ms=result.p95_ms,
        moved=result.moved,
    )


def roll(settings: BrokerSettings, reward: str, drawn: Episodes, policy: Policy) -> Rollout:
    """Run a policy through episodes, all side by side."""
    n = drawn.starts.size
    result = Rollout(np.zeros(n), drawn.starts, np.zeros(n), np.zeros(n, np.int64))
    limit = broker_model.objective_ms(settings, reward)
    seen = observe_first(settings, drawn)
    for k in range(settings.steps):
        actions = policy(Seen(k, seen.brokers, seen.p95_ms, seen.observations))
        seen = step(settings, reward, seen.brokers, actions, k, drawn.noise[:, k + 1])
        result = Rollout(
            result.returns + seen.rewards,
            seen.brokers,
            result.over + (seen.p95_ms > limit),
            result.moves + seen.moved,
        )
    return result._replace(over=result.over / settings.steps)
