"""What follows from the calibration of the simulated cluster, before anything is trained."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import check_count
from algorithms.learning import broker_model, broker_optimum
from algorithms.learning.cluster_settings import BrokerSettings

_KEEP = 1


class Bargain(NamedTuple):
    """How reward 3 weighs brokers against violations."""

    broker: float
    """What one broker less is worth per interval."""
    violation: float
    """What an interval just over the objective costs."""
    best: int
    """Brokers at which staying is worth most."""
    over: float
    """Share of intervals over the objective with them."""
    limits_ms: tuple[tuple[int, float], ...]
    """With so many brokers less than the best number, from the fewest on, the 95th percentile must
    exceed so many ms, or having fewer is worth more than keeping the objective. Only numbers of
    brokers from which the bound rises, up to the most that can be removed."""


def share_over(settings: BrokerSettings, brokers: int, limit_ms: float) -> float:
    """Share of intervals whose 95th percentile exceeds a limit while the number of brokers stays.

    The percentile is the largest of independent log-normal scrapes, so that the share is ``1 -
    Phi(ln(c / l) / spread) ** scrapes``, with a series of loads the mean over its steps.

    >>> round(share_over(BrokerSettings(), 11, 200.0), 2)
    0.25
    """
    from scipy.special import ndtr

    count = check_count("brokers", brokers, 1, 10**9)
    medians = broker_model.latency_ms(settings, count, settings.loads(), np)
    below = ndtr(np.log(limit_ms / medians) / settings.spread) ** settings.scrapes
    return float(1.0 - below.mean())


def bargain(settings: BrokerSettings) -> Bargain:
    """How reward 3 weighs brokers against violations.

    >>> found = bargain(BrokerSettings())
    >>> found.broker, found.violation, found.best
    (0.0625, 0.1, 6)
    >>> found.limits_ms
    ((1, 300.0), (2, 450.0))
    """
    staying = broker_optimum.expected_rewards(settings, "weighted")[:, :, _KEEP].mean(axis=0)
    best = settings.min_brokers + int(staying.argmax())
    fixed = broker_model.fixed_reward(settings, "weighted", np.arange(best, best + 2))
    broker = float(fixed[0] - fixed[1])
    edges, penalties = broker_model.PENALTIES["weighted"]
    costs = [broker_model.penalty_weight(settings, "weighted") * one for one in penalties]
    brackets = sorted(zip(costs, edges, strict=True))
    limits: list[tuple[int, float]] = []
    for fewer in range(1, best - settings.min_brokers + 1):
        enough = [edge for cost, edge in brackets if cost > fewer * broker]
        # No penalty outweighs so many brokers, whatever the latency.
        limit = settings.slo_weighted_ms * (1.0 + enough[0]) if enough else np.inf
        if not limits or limit > limits[-1][1]:
            limits.append((fewer, limit))
    over = share_over(settings, best, settings.slo_weighted_ms)
    return Bargain(broker, costs[-1], best, over, tuple(limits))
