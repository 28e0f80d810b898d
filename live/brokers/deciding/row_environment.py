"""Measured rows as a cluster: an interval is drawn from those of its number of brokers."""

from __future__ import annotations

import math

import numpy as np

from algorithms.learning.measured_intervals import MeasuredCluster
from live.broker_metrics.scraped_values import Latencies
from live.brokers.deciding.observed_interval import Observed


class RowEnvironment:
    """The `Environment` of an episode; its draws depend on the seed alone."""

    def __init__(self, cluster: MeasuredCluster, seed: int) -> None:
        self._cluster = cluster
        self._draws = np.random.Generator(np.random.PCG64(seed))
        self._brokers = 0

    def begin(self, brokers: int) -> Observed:
        """An interval without a change."""
        self._brokers = brokers
        return self.step(brokers)

    def step(self, brokers: int) -> Observed:
        """An interval with a number of brokers at its end."""
        drawn = self._cluster.drawn(self._brokers, brokers, self._draws)
        self._brokers = brokers
        latencies = Latencies(drawn.p95_ms, math.nan, math.nan, math.nan)
        return Observed(brokers, tuple(drawn.metrics.tolist()), latencies)
