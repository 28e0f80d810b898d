"""Decisions of an episode, one after the other, on a real cluster or on measured rows."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from algorithms.learning import broker_model
from algorithms.learning.cluster_settings import BrokerSettings
from live.broker_metrics.scraped_values import Latencies
from live.brokers.deciding.deciders import Decider
from live.brokers.deciding.observed_interval import Environment, Observed

KEEP = 1


class Decision(NamedTuple):
    """A decision, and the interval after it; numbers are from 1."""

    episode: int
    step: int
    state: str
    """Digest of the metrics that were seen."""
    refusal: str
    """Why they were no input, so that the brokers were kept; empty if they were one."""
    action: int
    """-1, 0 or 1 broker."""
    explores: bool
    before: int
    after: int
    reward: float
    p95_ms: Latencies
    loss: float
    """NaN without an update."""
    seconds: float
    scaling_s: float
    moves: int
    metrics: tuple[float, ...]
    """After it."""


def decisions(
    environment: Environment,
    decider: Decider,
    settings: BrokerSettings,
    reward: str,
    episode: int,
    start: int,
) -> Iterator[Decision]:
    """Yield each decision when its interval is over and the decider has learned from it.

    settings: Steps, bounds of the brokers, and what rewards are made of.
    episode: From 0. start: Brokers at the start.
    """
    seen = environment.begin(start)
    for step in range(settings.steps):
        refusal = decider.refusal(seen)
        chosen = None if refusal else decider.choose(seen, episode, step)
        action = KEEP if chosen is None else chosen.action
        least, most = settings.min_brokers, settings.max_brokers
        following = environment.step(min(max(seen.brokers + action - KEEP, least), most))
        worth = reward_of(settings, reward, following)
        loss = math.nan
        if chosen is not None:
            is_last = step + 1 == settings.steps
            loss = decider.learn(seen, action, worth, following, is_last)
        yield Decision(
            episode + 1,
            step + 1,
            digest(seen.metrics),
            refusal,
            action - KEEP,
            chosen is not None and chosen.explores,
            seen.brokers,
            following.brokers,
            worth,
            following.p95_ms,
            loss,
            following.seconds,
            following.scaling_s,
            following.moves,
            following.metrics,
        )
        seen = following


def reward_of(settings: BrokerSettings, reward: str, seen: Observed) -> float:
    """Reward of an interval, from end-to-end latency."""
    p95_ms = np.float64(seen.p95_ms.end_to_end)
    return float(broker_model.reward_of(settings, reward, float(seen.brokers), p95_ms, np))


def digest(metrics: Sequence[float]) -> str:
    """Digest of metrics, 16 hexadecimal digits."""
    return hashlib.sha256(np.asarray(metrics, "<f8").tobytes()).hexdigest()[:16]
