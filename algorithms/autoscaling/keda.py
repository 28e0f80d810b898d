"""The metric of KEDA's scaler for Apache Kafka: total lag, limited by what partitions allow."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from algorithms.autoscaling.number_checks import check_switch, check_values
from algorithms.core.arrays import Bools, Floats, check_count
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError

MAX_THRESHOLD = 2**31 - 1
"""Greatest threshold: its multiples by any number of partitions are 64-bit integers."""

_GREATEST = 2.0**53


def metric(
    lags: ArrayLike,
    threshold: int,
    allow_idle: bool = False,
    limit_to_partitions_with_lag: bool = False,
    ensure_even: bool = False,
) -> int:
    """Lag that the scaler reports to the horizontal pod autoscaler.

    lags: float64[P], events that wait in each partition; fractions are dropped.
    threshold: Lag that one replica should have.
    allow_idle: Whether there may be more replicas than partitions.
    limit_to_partitions_with_lag: Whether only partitions with lag count as a limit of the replicas.
    ensure_even: Whether the metric is raised so that its replicas divide the number of partitions.
    Returns: events. Divided by the threshold it can still ask for one replica more than the limit:
        only a quotient whose integer part exceeds the limit is lowered.
    Raises InvalidParameterError also if two of the switches are on.

    KEDA's scaler ``apache-kafka``. O(P).

    Three partitions allow three replicas, but 39 events at 10 each ask for a fourth.

    >>> metric([39.0, 0.0, 0.0], 10), metric([40.0, 0.0, 0.0], 10)
    (39, 30)
    >>> metric([12.9, 0.0, 0.0], 10, ensure_even=True)
    30
    """
    values = check_lags(lags)
    target = check_count("threshold", threshold, 1, MAX_THRESHOLD)
    switches = check_switches(allow_idle, limit_to_partitions_with_lag, ensure_even)
    consumed = np.ones(values.size, dtype=np.bool_)
    return int(reported(values, consumed, False, target, *switches))


def check_lags(lags: ArrayLike) -> Floats:
    """Return lags as an array, or raise `InvalidParameterError` unless they can be summed."""
    values = check_values("lags", lags)
    if values.sum() > _GREATEST:
        raise InvalidParameterError(
            f"lags must be at most 2**53 events in total (got {float(values.sum())})"
        )
    return values


def check_switches(
    allow_idle: bool, limit_to_partitions_with_lag: bool, ensure_even: bool
) -> tuple[bool, bool, bool]:
    """Return the switches, or raise `InvalidParameterError` if two of them are on."""
    switches = {
        "allow_idle": check_switch("allow_idle", allow_idle),
        "limit_to_partitions_with_lag": check_switch(
            "limit_to_partitions_with_lag", limit_to_partitions_with_lag
        ),
        "ensure_even": check_switch("ensure_even", ensure_even),
    }
    on = [name for name, value in switches.items() if value]
    if len(on) > 1:
        raise InvalidParameterError(
            f"only one of {', '.join(switches)} may be true (got {' and '.join(on)})"
        )
    idle, limited, even = switches.values()
    return idle, limited, even


@kernel
def whole_lag(lags: Floats) -> int:
    """Sum of the lags without their fractions."""
    result = 0
    for lag in lags:
        result += int(np.floor(lag))
    return result


@kernel
def reported(
    lags: Floats,
    consumed: Bools,
    exclude_persistent_lag: bool,
    threshold: int,
    allow_idle: bool,
    limit_to_partitions_with_lag: bool,
    ensure_even: bool,
) -> int:
    """The metric of checked arguments.

    They are of the partitions that one trigger sees. With `exclude_persistent_lag`, a partition
    that was not consumed since the last sync counts 0.
    """
    partitions = lags.shape[0]
    lag, with_lag = 0, 0
    for p in range(partitions):
        whole = int(np.floor(lags[p]))
        if whole > 0 and (consumed[p] or not exclude_persistent_lag):
            lag += whole
            with_lag += 1
    if allow_idle:
        return lag
    if ensure_even:
        lag = _even_replicas(partitions, lag, threshold) * threshold
    bound = with_lag if limit_to_partitions_with_lag else partitions
    if lag // threshold > bound:
        lag = bound * threshold
    return lag


@kernel
def _even_replicas(partitions: int, lag: int, threshold: int) -> int:
    """Least divisor of the number of partitions that is enough for the lag, else that number."""
    for divisor in range(max((lag + threshold - 1) // threshold, 1), partitions):
        if partitions % divisor == 0:
            return divisor
    return partitions
