"""What a trained policy observes of a consumer group, second by second.

For P partitions there are ``9 + 3 P`` numbers, 24 for five:

- the total rate of the last second, its means over 5, 15 and 60 s, and its maxima over 10 and 60 s,
  in units of what two consumers serve;
- the change from the 5 s before the last 5 s to these, in quarters of what a consumer serves;
- the greatest lag of a consumer, in halves of what it serves in a second;
- the replicas asked for last, as P numbers of which one is 1;
- for 1 to P replicas, the share of events that would be late at the last rate, and at 1.1 times it;
- the time since the last change of that number, in minutes, at most 1.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from algorithms.autoscaling.dispatch import Seen
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inlined, kernel
from algorithms.core.input_errors import InvalidParameterError

KEPT_S: Final = 60
"""Seconds of rates that count."""

MEANS_S: Final = (5, 15, 60)
PEAKS_S: Final = (10, 60)
TREND_S: Final = 5
SURPLUS: Final = 1.1
"""Factor of the rate in the second row of shares of late events."""

RECENT_PEAK_S: Final = 10
"""Seconds whose highest rate the action ``residual`` starts from."""

RATE_UNIT, TREND_UNIT, LAG_UNIT = 2.0, 0.25, 0.5
"""Units of rates, trends and lags, in what a consumer serves in a second."""

_SURELY = 1.0 - 1e-9


class Rates(NamedTuple):
    """Total rates of the last seconds, in a ring."""

    totals: Floats
    """float64[60]: events/s."""
    seconds: Longs
    """int64[1]: seconds so far."""


class Capacity(NamedTuple):
    """What a group can serve."""

    partitions: int
    """Partitions P."""
    mu: float
    """Rate that one consumer serves, events/s."""
    in_time: float
    """Events of a burst that one consumer serves in time."""


def scaling() -> dict[str, Any]:
    """Units and times that inputs depend on: a network is of use with those of its training.

    >>> scaling()["rate_unit"], scaling()["means_s"]
    (2.0, [5, 15, 60])
    """
    return {
        "kept_s": KEPT_S,
        "means_s": list(MEANS_S),
        "peaks_s": list(PEAKS_S),
        "trend_s": TREND_S,
        "surplus": SURPLUS,
        "recent_peak_s": RECENT_PEAK_S,
        "rate_unit": RATE_UNIT,
        "trend_unit": TREND_UNIT,
        "lag_unit": LAG_UNIT,
    }


def no_rates() -> Rates:
    """Before the first second."""
    return Rates(np.zeros(KEPT_S), np.zeros(1, np.int64))


def capacity_of(group: Group) -> Capacity:
    """What a group can serve.

    Raises InvalidParameterError if it does not decide each second.

    Policies are trained on bursts. What they observe of uniform arrivals is what bursts of the same
    rates would be, so that they can also run where the arrivals are not known, as on a broker.
    """
    for name, value in (("decision_s", group.decision_s), ("step_s", group.step_s)):
        if value != 1.0:
            raise InvalidParameterError(f"{name} must be 1 s for a trained policy (got {value:g})")
    in_time = max(group.mu * group.wsla_s - 0.5, 0.0)
    return Capacity(group.partitions, group.mu, in_time)


@kernel
def record(rates: Rates, total: float) -> None:
    """Add the rate of the second that is over. O(1)."""
    rates.totals[rates.seconds[0] % KEPT_S] = total
    rates.seconds[0] += 1


@inlined
def _ago(rates: Rates, seconds: int) -> float:
    return float(rates.totals[(rates.seconds[0] - 1 - seconds) % KEPT_S])


@kernel
def mean(rates: Rates, first: int, length: int) -> float:
    """Mean over seconds, the first of which was so long ago; 0 if there were none yet."""
    count = min(rates.seconds[0] - first, length)
    total = 0.0
    for i in range(count):
        total += _ago(rates, first + i)
    return total / count if count > 0 else 0.0


@kernel
def peak(rates: Rates, length: int) -> float:
    """Maximum over the last seconds."""
    greatest = 0.0
    for i in range(min(rates.seconds[0], length)):
        greatest = max(greatest, _ago(rates, i))
    return greatest


@kernel
def late_share(capacity: Capacity, replicas: int, rate: float) -> float:
    """Share of a burst that is late if replicas without lag have as equal numbers of partitions."""
    if not rate > 0.0:
        return 0.0
    each = capacity.partitions // replicas
    more = capacity.partitions - each * replicas
    part = rate / capacity.partitions
    late = more * max((each + 1) * part - capacity.in_time, 0.0)
    late += (replicas - more) * max(each * part - capacity.in_time, 0.0)
    return late / rate


@kernel
def fewest(capacity: Capacity, rate: float) -> int:
    """Fewest replicas, at most P, that serve a burst in time."""
    for n in range(1, capacity.partitions):
        each = (capacity.partitions + n - 1) // n
        if each * (rate / capacity.partitions) * _SURELY <= capacity.in_time:
            return n
    return capacity.partitions


@kernel
def greatest_lag(seen: Seen) -> float:
    """Greatest lag of a consumer, over its partitions. O(P^2)."""
    greatest = 0.0
    for p in range(seen.lags.shape[0]):
        lag = 0.0
        for other in range(seen.lags.shape[0]):
            if seen.owners[other] == seen.owners[p] and seen.owners[p] >= 0:
                lag += seen.lags[other]
        greatest = max(greatest, lag)
    return greatest


@kernel
def fill(
    inputs: Floats, capacity: Capacity, rates: Rates, lag: float, replicas: int, since_s: float
) -> None:
    """Fill in what a policy observes.

    inputs: float64[9 + 3 P], filled.
    rates: Rates, that of the last second included.
    lag: Greatest lag of a consumer.
    replicas: Replicas asked for last.
    since_s: Time since that number changed, seconds.
    """
    p, mu = capacity.partitions, capacity.mu
    last = mean(rates, 0, 1)
    inputs[0] = last / (RATE_UNIT * mu)
    for i in range(3):
        inputs[1 + i] = mean(rates, 0, MEANS_S[i]) / (RATE_UNIT * mu)
    for i in range(2):
        inputs[4 + i] = peak(rates, PEAKS_S[i]) / (RATE_UNIT * mu)
    before = mean(rates, TREND_S, TREND_S)
    trend = mean(rates, 0, TREND_S) - before if rates.seconds[0] > TREND_S else 0.0
    inputs[6] = trend / (TREND_UNIT * mu)
    inputs[7] = lag / (LAG_UNIT * mu)
    for n in range(1, p + 1):
        inputs[7 + n] = 1.0 if n == replicas else 0.0
        inputs[7 + p + n] = late_share(capacity, n, last)
        inputs[7 + 2 * p + n] = late_share(capacity, n, SURPLUS * last)
    inputs[8 + 3 * p] = min(since_s / KEPT_S, 1.0)
