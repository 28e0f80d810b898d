"""The quantities in which a run on a broker is compared with predictions."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Ints

SHARES = (0.5, 0.9, 0.99)


class Quantities(NamedTuple):
    """What is compared, over all iterations but the first."""

    consumers: float
    """Mean number of consumers with partitions."""
    migrations: float
    """Partitions that got another consumer."""
    p50: float
    p90: float
    p99: float
    """`p50`, `p90`, `p99`: quantiles of the latency of all records in sound iterations, s."""


def mean_consumers(owners: Ints) -> float:
    """Mean number of consumers of ``int32[N, P]`` owners, -1 for none."""
    return float(np.mean([len(set(row) - {-1}) for row in owners[1:].tolist()]))


def migrations(owners: Ints) -> int:
    """Partitions that got another consumer."""
    old, new = owners[:-1], owners[1:]
    return int(((old != new) & (old != -1) & (new != -1)).sum())


def quantiles(latencies: Floats) -> tuple[float, ...]:
    """The three quantiles of some latencies, s; NaN without any, +inf where they are unbounded."""
    if not len(latencies):
        return (math.nan,) * len(SHARES)
    ordered = np.sort(latencies)
    places = [(len(ordered) - 1) * share for share in SHARES]
    return tuple(_between(ordered, place) for place in places)


def _between(ordered: Floats, place: float) -> float:
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    weight = place - low
    if weight == 0.0 or math.isinf(ordered[high]):
        return float(ordered[low if weight == 0.0 else high])
    return float(ordered[low] + (ordered[high] - ordered[low]) * weight)
