"""Metrics from scrapes: values between two scrapes, and mean and percentile of an interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from live.broker_metrics.declared_metrics import (
    CONSUMED,
    COUNT,
    LEVEL,
    MEAN,
    QUANTITIES,
    READS,
    Quantity,
)

PERCENTILE = 0.95

_PLACES = {read: place for place, read in enumerate(READS)}


class Scrape(NamedTuple):
    """What the brokers said at one time."""

    brokers: Mapping[int, BrokerValues]
    """Brokers that answered."""
    failures: Mapping[int, str]
    """Why others did not."""


class BrokerValues(NamedTuple):
    """What one broker said."""

    at_ns: int
    """Time of the monotonic clock."""
    values: tuple[float, ...]
    """In the order of `READS`."""


class Latencies(NamedTuple):
    """Latency between two scrapes, three ways, ms; NaN if nothing was read or requested."""

    end_to_end: float
    """From when a record was due to when a consumer had it."""
    produce: float
    """Total time of produce requests."""
    summed: float
    """The paper's sum: total times of produce and of consumers' fetch requests."""
    summed_busy: float
    """The same without the time for which fetch requests wait for records (`RemoteTimeMs`)."""


def between(before: Scrape, after: Scrape, consumed: int) -> dict[str, float]:
    """Value of each quantity between two scrapes.

    consumed: Records that the consumers have read meanwhile.
    Brokers count if both scrapes have them, and no counter has begun again. Times are NaN without
    requests, and all but the number of brokers without brokers.
    """
    pairs = [
        (before.brokers[broker], values)
        for broker, values in sorted(after.brokers.items())
        if broker in before.brokers and _goes_on(before.brokers[broker], values)
    ]
    return {each.name: each.factor * _value(each, pairs, consumed) for each in QUANTITIES}


def interval_metrics(gaps: Sequence[Mapping[str, float]]) -> tuple[float, ...]:
    """The 37 metrics of an interval, in the order of `declared_metrics.NAMES`.

    gaps: Values between its scrapes. Values that are NaN do not count; NaN if there is no other.
    """
    return tuple(
        nearest_rank(values) if part == "_p95" else _mean(values)
        for each in QUANTITIES
        for values in [[gap[each.name] for gap in gaps if not math.isnan(gap[each.name])]]
        for part in each.parts
    )


def latencies(gap: Mapping[str, float], end_to_end_ms: float) -> Latencies:
    """Latency between two scrapes, three ways."""
    produce, fetch = gap["produce_total_ms"], gap["fetch_consumer_total_ms"]
    summed = produce + fetch
    return Latencies(end_to_end_ms, produce, summed, summed - gap["fetch_consumer_remote_ms"])


def nearest_rank(values: Sequence[float]) -> float:
    """The 95th percentile by nearest rank; NaN without values.

    >>> nearest_rank([3.0, 1.0, 2.0])
    3.0
    """
    rank = math.ceil(PERCENTILE * len(values))
    return sorted(values)[rank - 1] if values else math.nan


def _goes_on(before: BrokerValues, after: BrokerValues) -> bool:
    """Whether all counters are at least what they were: a broker that restarts begins at 0."""
    return after.at_ns > before.at_ns and all(
        after.values[_PLACES[read]] >= before.values[_PLACES[read]] for read in _COUNTERS
    )


_COUNTERS = [
    read
    for each in QUANTITIES
    if each.how != LEVEL
    for read in each.reads
    if "*" not in read.attribute  # a product of two readings may be rounded
]


def _value(
    quantity: Quantity, pairs: Sequence[tuple[BrokerValues, BrokerValues]], consumed: int
) -> float:
    if quantity.how == COUNT:
        return float(len(pairs))
    if not pairs:
        return math.nan
    places = [_PLACES[read] for read in quantity.reads]
    if quantity.how == LEVEL:
        return _mean([sum(after.values[p] for p in places) for _, after in pairs])
    seconds = [(after.at_ns - before.at_ns) * 1e-9 for before, after in pairs]
    if quantity.how == CONSUMED:
        return consumed / _mean(seconds) / len(pairs)
    increases = [[after.values[p] - before.values[p] for p in places] for before, after in pairs]
    if quantity.how == MEAN:
        half = len(places) // 2  # sums come first, then numbers
        times, number = (sum(sum(row[part]) for row in increases) for part in _halves(half))
        return times / number if number else math.nan
    return _mean([sum(row) / s for row, s in zip(increases, seconds, strict=True)])


def _halves(half: int) -> tuple[slice, slice]:
    return slice(None, half), slice(half, None)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
