"""Counts of strategies on drawn observations, with kernels as the process has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from live.scaler import count_decisions
from live.scaler.count_decisions import CountDecisions
from live.scaler.step_rates import Step
from tests.live.scaler.scaler_fakes import TARGET

PARTITIONS, STEPS = 7, 60

STRATEGIES = (
    "constant",
    "headroom:h=1.15:hold=30",
    "headroom:assignor=sticky",
    "headroom:assignor=kip848_uniform",
    "headroom:assignor=roundrobin",
    "headroom:arrivals=burst",
    "linear",
    "threshold",
    "time_threshold:in_s=2:out_s=6",
    "queueing",
    "queueing:estimate=true",
    "queueing_paths",
    "ds2",
    "keda_hpa",
    "keda_hpa:ensure_even=true:exclude_persistent_lag=true",
)


def counts(strategy: str) -> Sequence[int]:
    """Counts of all decisions; the group is idle in the middle."""
    target = replace(TARGET, strategy=strategy, max_replicas=7)
    one = count_decisions.check(target, 5.0)
    settings = count_decisions.settings_of(target, one, 5.0, (PARTITIONS,), 2, 1)
    decisions = CountDecisions(one, settings, (PARTITIONS,), 1)
    draws = np.random.default_rng(1)
    arrived, decided = np.zeros(PARTITIONS), []
    for k in range(1, STEPS):
        rates = draws.uniform(0.0, 30.0, PARTITIONS) * draws.uniform(0.5, 3.0) * (not 20 <= k < 40)
        lags = np.floor(draws.uniform(0.0, 300.0, PARTITIONS)) * (not 25 <= k < 35)
        owners = draws.integers(-1, 3, PARTITIONS).astype(np.int32)
        arrived = arrived + 5.0 * rates
        consumed = draws.random(7) < 0.7
        answer = decisions.step(Step(5.0 * k, 5.0, rates, lags, owners, consumed, arrived))
        if answer is not None:
            decided.append(answer.replicas)
    return decided
