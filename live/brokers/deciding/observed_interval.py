"""What deciders see of a cluster, and what a cluster is to them: a real one, or measured rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from algorithms.learning import measured_intervals
from live.broker_metrics import scraped_values
from live.broker_metrics.scraped_values import Latencies


class Observed(NamedTuple):
    """An interval."""

    brokers: int
    """At its end."""
    metrics: tuple[float, ...]
    """The 37, NaN where nothing was requested."""
    p95_ms: Latencies
    """Nearest-rank 95th percentile over its times between scrapes, three ways. End to end it is
    infinite if nothing was read; the others are NaN if nothing was requested."""
    seconds: float = math.nan
    """Its length; NaN for measured rows, as all that follows."""
    scaling_s: float = math.nan
    """Time until a broker had joined or left; NaN without a change."""
    moves: int = 0
    """Replicas that moved."""


class Environment(Protocol):
    """A cluster with a load, in one episode."""

    def begin(self, brokers: int) -> Observed:
        """An interval with so many brokers, without a change."""

    def step(self, brokers: int) -> Observed:
        """Change the number of brokers by one at most, and let an interval pass."""


def p95_of(latencies: Sequence[Latencies]) -> Latencies:
    """The 95th percentile of each way; values that are NaN do not count."""
    ways = [
        [value for value in way if not math.isnan(value)] for way in zip(*latencies, strict=True)
    ]
    first, *others = ways or [[]] * len(Latencies._fields)
    return Latencies(
        measured_intervals.nearest_rank_ms(first), *map(scraped_values.nearest_rank, others)
    )


def observed(
    brokers: int, gaps: Sequence[tuple[Mapping[str, float], Latencies]], seconds: float
) -> Observed:
    """An interval from its values and latencies between scrapes."""
    metrics = scraped_values.interval_metrics([values for values, _ in gaps])
    return Observed(brokers, metrics, p95_of([one for _, one in gaps]), seconds)
