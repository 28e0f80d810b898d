"""A cluster made of measured rows: what brokers are like is drawn from them, nothing is assumed.

An interval without a change is a row of its number of brokers, each with the same probability. In
one with a change, the first half of the times between scrapes is that of a row of the old number,
the rest and all metrics are those of one of the new number; what a change itself costs was not
measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_model, broker_optimum
from algorithms.learning.broker_model import METRICS
from algorithms.learning.broker_optimum import Plan
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.measured_latencies import MeasuredRow

PERCENTILE = 0.95

_REMEDY = "measure them with `make bench-brokers` on a quiet machine"


class MeasuredInterval(NamedTuple):
    """What an interval was like."""

    metrics: Floats
    """float64[37]."""
    p95_ms: float
    """Nearest-rank 95th percentile of latency between scrapes."""


class Limits(NamedTuple):
    """What policies that were trained on rows take as inputs, ``float64[37]`` each."""

    low: Floats
    high: Floats


class MeasuredCluster:
    """Rows of one load, from the least to the greatest number of brokers."""

    def __init__(self, rows: Sequence[MeasuredRow], least: int) -> None:
        self._least = least
        most = max(row.brokers for row in rows)
        self.rows = tuple(
            tuple(row for row in rows if row.brokers == n) for n in range(least, most + 1)
        )

    def drawn(self, before: int, after: int, draws: np.random.Generator) -> MeasuredInterval:
        """An interval in which brokers change from a number to another."""
        old, new = (self.rows[n - self._least] for n in (before, after))
        late = new[draws.integers(len(new))]
        early = late if before == after else old[draws.integers(len(old))]
        return MeasuredInterval(np.array(late.metrics), _p95_ms(early, late))

    def optimum(self, settings: BrokerSettings, reward: str) -> Plan:
        """Best action for each step and number of brokers, and its value, by exact expectations."""
        following = broker_optimum.following_counts(settings) + settings.min_brokers
        expected = np.empty(following.shape)
        for place, own in enumerate(following):
            before = settings.min_brokers + place
            for action, after in enumerate(own):
                expected[place, action] = self._expected(settings, reward, before, int(after))
        shape = (settings.steps, *expected.shape)
        return broker_optimum.induction(settings, np.broadcast_to(expected, shape))

    def limits(self, margin: float) -> Limits:
        """Least and greatest value of each metric in all rows, and a share of their difference."""
        values = np.array([row.metrics for rows in self.rows for row in rows])
        low, high = values.min(axis=0), values.max(axis=0)
        room = margin * (high - low)
        return Limits(low - room, high + room)

    def _expected(self, settings: BrokerSettings, reward: str, before: int, after: int) -> float:
        old, new = (self.rows[n - self._least] for n in (before, after))
        pairs: Iterable[tuple[MeasuredRow, MeasuredRow]] = product(old, new)
        if before == after:
            pairs = zip(new, new, strict=True)
        samples = np.array([_p95_ms(early, late) for early, late in pairs])
        # Rewards of the count alone have the shape of the brokers.
        brokers = np.full(len(samples), float(after))
        return float(broker_model.reward_of(settings, reward, brokers, samples, np).mean())


def cluster_of(rows: Sequence[MeasuredRow], load: float, least: int, most: int) -> MeasuredCluster:
    """The cluster of a load. Raises InvalidParameterError if there are no rows, or none of it."""
    own = [row for row in rows if least <= row.brokers <= most]
    if not own:
        raise InvalidParameterError(
            f"no metrics of {least} to {most} brokers were measured; {_REMEDY}"
        )
    loads = sorted({row.load for row in own})
    own = [row for row in own if row.load == load]
    if not own:
        raise InvalidParameterError(
            f"load must be one of {', '.join(f'{one:g}' for one in loads)} of 4,000 records/s (got "
            f"{load:g}): no others were measured"
        )
    missing = sorted({*range(least, most + 1)} - {row.brokers for row in own})
    if missing:
        raise InvalidParameterError(
            f"brokers must be numbers that were measured at load {load:g} (got {least} to {most}, "
            f"without {missing[0]}); choose others, or {_REMEDY}"
        )
    return MeasuredCluster(own, least)


def refused(metrics: Sequence[float] | Floats, limits: Limits | None) -> str:
    """Why metrics are no input, in a line; empty if they are one.

    limits: None for agents that learn where they act: only missing values are refused.
    """
    values = np.asarray(metrics, np.float64)
    wrong: Bools = ~np.isfinite(values)
    if wrong.any():
        return f"{METRICS[int(wrong.argmax())]} is missing: nothing was requested or read"
    if limits is None:
        return ""
    wrong = (values < limits.low) | (values > limits.high)
    if not wrong.any():
        return ""
    place = int(wrong.argmax())
    return (
        f"{METRICS[place]} must be between {limits.low[place]:.4g} and {limits.high[place]:.4g} as "
        f"in the measured rows (got {values[place]:.4g})"
    )


def nearest_rank_ms(values: Sequence[float]) -> float:
    """Nearest-rank 95th percentile; infinite without values, since nothing was read.

    >>> nearest_rank_ms([3.0, 1.0, 2.0])
    3.0
    """
    if not values:
        return float("inf")
    return float(np.quantile(values, PERCENTILE, method="inverted_cdf"))


def _p95_ms(early: MeasuredRow, late: MeasuredRow) -> float:
    """Of the first half of one row and the rest of another, which are the same without a change."""
    first, rest = early.latencies_ms, late.latencies_ms
    return nearest_rank_ms([*first[: len(first) // 2], *rest[len(rest) // 2 :]])
