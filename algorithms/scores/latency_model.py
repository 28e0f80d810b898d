"""Latency of the data under an assignment: queues per consumer, folded over the iterations."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import (
    Bools,
    Floats,
    Ints,
    Longs,
    check_capacity,
    check_consumers,
    check_rates,
    check_same_shape,
)
from algorithms.core.compiled import allocating, kernel
from algorithms.core.input_errors import InvalidParameterError
from algorithms.scores import assignment_scores
from algorithms.scores.histograms import histogram
from algorithms.scores.percentiles import percentiles
from algorithms.scores.progressions import MAX_SAMPLES, Progressions, positive_part, sample

MAX_SECONDS = 1e9
"""Longest iteration and rebalance, s: thirty years."""

PERCENTS = (50.0, 90.0, 99.0)

HISTOGRAM_EDGES: Floats = np.array(
    [0.0, *(10.0 ** (i / 10) for i in range(-30, 51)), math.inf], dtype=np.float64
)
"""Ends of the histogram's 82 bins, s: ten per decade from 1e-3 to 1e5. Upper ends are included."""
HISTOGRAM_EDGES.setflags(write=False)


class LatencySummary(NamedTuple):
    """Latency of a stream under one assignment; a sample is one unit of data (byte)."""

    mean_consumers: float
    """Mean number of consumers in use, over all iterations."""
    n_samples: int
    """Number of samples; there are none at the first iteration."""
    n_positive: int
    """Samples with a latency above 0."""
    p50: float
    p90: float
    p99: float
    max: float
    """`p50`, `p90`, `p99`, `max`: percentiles and maximum of the samples above 0, s. NaN if there
    are none; +inf where they fall on data that is never read."""
    histogram: Longs
    """int64[82]: samples above 0 by latency, in the bins of `HISTOGRAM_EDGES`."""


def summarise(
    rates: Floats,
    consumers: Ints,
    consumer_capacity: float,
    iteration_seconds: float = 30.0,
    rebalance_seconds: float = 5.0,
) -> LatencySummary:
    """Summarise the latencies of a stream under an assignment.

    At iteration ``k``, a consumer holds partitions of total speed ``W_F`` that it held at
    ``k-1`` (the fixed queue), and others of total speed ``W_R`` (the rebalanced queue). It reads
    the fixed queue at ``R_F = C̄`` if ``W_R = 0``, else at ``R_F = min(C̄, W_F)``, and the
    rebalanced one at ``R_R = C̄ - R_F``. With ``T`` the length of an iteration, unit
    ``i = 0 .. floor(T W) - 1`` of a queue waits ``max(m i + b, 0)`` with ``m = 1/R - 1/W``. For
    the rebalanced queue ``b`` is the rebalance time, for the fixed queue the latency of its last
    sample at ``k-1``, and 0 where it had no sample.

    rates: float64[N, P], write speeds in bytes/s, NaN = absent.
    consumers: int32[N, P], consumer ids in ``0 .. P-1`` of the present partitions, -1 = absent.
    consumer_capacity: Consumption capacity C̄, bytes/s.
    iteration_seconds: Length of an iteration, s.
    rebalance_seconds: Time until data of moved partitions is read again, s.
    Returns: figures without the first iteration, at which everything is new and nothing sampled.
    Raises InvalidParameterError also if ids contradict presence, or samples exceed 2**53.

    Landau, Saurabh, Andrade, Barbosa 2024, Section VI-C. The paper leaves open where a queue's
    latency ends: at its last sample ``i = floor(T W_F) - 1``, or at ``m T W_F + b``, one unit
    later. Here it is the last sample. On the authors' recorded stream of 32 partitions (C̄ = 133)
    this gives kd_15 the published 985,555 samples above 0 with a 90th percentile of 217.33 s, and
    kd_27 a maximum of 37.66 s; the other reading gives 985,547, 217.37 s and 37.67 s.

    A rebalanced queue that is not served (``R_R = 0``) waits for the rebalance at its first unit
    and forever at all others. The samples are not enumerated. Every number equals that of the
    enumerated samples, bit for bit, except where NumPy has none (see
    `algorithms.scores.percentiles.percentiles`). Speeds are added in partition order. O(N P),
    whatever the capacity.

    One consumer reads 10 bytes/s where 20 are written: in 3 s byte 59 falls 59/20 s behind.

    >>> rates = np.array([[20.0], [20.0]])
    >>> held = np.array([[0], [0]], dtype=np.int32)
    >>> summary = summarise(rates, held, 10.0, iteration_seconds=3.0)
    >>> summary.n_samples, summary.n_positive, summary.p50, summary.max
    (60, 59, 1.5, 2.95)
    """
    times = (iteration_seconds, rebalance_seconds)
    n_samples, samples = samples_of(rates, consumers, consumer_capacity, *times)
    counts = histogram(samples, HISTOGRAM_EDGES)
    p50, p90, p99 = percentiles(samples, PERCENTS, HISTOGRAM_EDGES, counts).tolist()
    return LatencySummary(
        mean_consumers=float(assignment_scores.n_consumers(check_consumers(consumers)).mean()),
        n_samples=n_samples,
        n_positive=int(counts.sum()),
        p50=p50,
        p90=p90,
        p99=p99,
        max=float(samples.largest.max()) if samples.size.size else math.nan,
        histogram=counts,
    )


def samples_of(
    rates: Floats,
    consumers: Ints,
    consumer_capacity: float,
    iteration_seconds: float = 30.0,
    rebalance_seconds: float = 5.0,
    counted: Bools | None = None,
) -> tuple[int, Progressions]:
    """Number of all samples, and those above 0.

    counted: bool[N], iterations whose samples count; None for all but the first, which has none.
    """
    rates, consumers = check_rates(rates), check_consumers(consumers)
    check_same_shape(rates, consumers)
    _check_assigned(rates, consumers)
    capacity = check_capacity(consumer_capacity, "consumer_capacity")
    seconds = _check_seconds("iteration_seconds", iteration_seconds)
    rebalance = _check_seconds("rebalance_seconds", rebalance_seconds, zero=True)
    _check_samples(rates, seconds)
    kept = np.ones(len(rates), np.bool_) if counted is None else np.array(counted, np.bool_)
    if kept.shape != (len(rates),):
        raise InvalidParameterError(
            f"counted must have one value per iteration (got shape {kept.shape}, "
            f"{len(rates)} iterations)"
        )
    n, slope, intercept, length = _fold(rates, consumers, capacity, seconds, rebalance, kept)
    return int(n), positive_part(slope, intercept, length)


def _check_seconds(name: str, seconds: float, zero: bool = False) -> float:
    value = float(seconds)
    if not 0.0 <= value <= MAX_SECONDS or (value == 0.0 and not zero):
        least = "at least 0" if zero else "above 0"
        raise InvalidParameterError(
            f"{name} must be {least} and at most {MAX_SECONDS:g} s (got {seconds})"
        )
    return value


def _check_assigned(rates: Floats, consumers: Ints) -> None:
    absent = np.isnan(rates)
    if consumers.min() < -1 or consumers.max() >= rates.shape[1]:
        wrong = (consumers < -1) | (consumers >= rates.shape[1])
        problem = f"must be -1 or between 0 and {rates.shape[1] - 1}"
    else:
        wrong = absent != (consumers < 0)
        problem = "must be -1 exactly where the rate is NaN"
    if wrong.any():
        k, j = (int(i) for i in np.argwhere(wrong)[0])
        raise InvalidParameterError(
            f"consumers[{k}, {j}] (iteration {k + 1}) {problem} (got {consumers[k, j]} at a rate "
            f"of {rates[k, j]}); pass the assignment of these rates"
        )


def _check_samples(rates: Floats, seconds: float) -> None:
    with np.errstate(over="ignore"):
        units = float(np.nansum(rates[1:]) * seconds)
    if not units <= MAX_SAMPLES:
        raise InvalidParameterError(
            f"rates must sum up to at most 2**53 samples (got {units:.6g}); "
            "use a larger unit for rates and capacity, such as kB/s"
        )


@allocating
def _fold(
    rates: Floats,
    consumers: Ints,
    capacity: float,
    seconds: float,
    rebalance: float,
    counted: Bools,
) -> tuple[int, Floats, Floats, Longs]:
    """Number of samples; slope, intercept and length of the queues that may have positive ones.

    Those of iterations that do not count are overwritten by the next ones.
    ``latency`` is that of each consumer's fixed queue at the end of the iteration before.
    """
    n_iterations, n_partitions = rates.shape
    slope = np.empty(2 * n_partitions * n_iterations)
    intercept = np.empty(slope.size)
    length = np.empty(slope.size, np.int64)
    latency = np.zeros(n_partitions)
    fixed, moved = np.empty(n_partitions), np.empty(n_partitions)
    n_samples = 0
    n = 0
    for k in range(1, n_iterations):
        n_before, n_samples_before = n, n_samples
        _fill_queues(fixed, moved, rates[k], consumers[k], consumers[k - 1])
        for c in range(n_partitions):
            served = capacity if moved[c] == 0.0 else min(capacity, fixed[c])
            count = math.floor(seconds * fixed[c])
            n_samples += count
            before, latency[c] = latency[c], 0.0
            if count > 0:
                slope[n], intercept[n], length[n] = _slope(served, fixed[c]), before, count
                latency[c] = max(sample(slope[n], before, count - 1), 0.0)
                # Most queues neither start late nor fall behind: none of their samples is above 0.
                n += before > 0.0 or slope[n] > 0.0
            count = math.floor(seconds * moved[c])
            n_samples += count
            if count > 0:
                slope[n], intercept[n] = _slope(capacity - served, moved[c]), rebalance
                length[n] = count
                n += 1
        if not counted[k]:
            n, n_samples = n_before, n_samples_before
    return n_samples, slope[:n], intercept[:n], length[:n]


@kernel
def _fill_queues(
    fixed: Floats, moved: Floats, rates: Floats, consumers: Ints, before: Ints
) -> None:
    """Speeds of each consumer's fixed and rebalanced queue, replacing the last iteration's."""
    fixed[:] = 0.0
    moved[:] = 0.0
    for j in range(rates.size):
        consumer = consumers[j]
        if consumer < 0:
            continue
        if before[j] == consumer:
            fixed[consumer] += rates[j]
        else:
            moved[consumer] += rates[j]


@kernel
def _slope(read: float, written: float) -> float:
    """Growth of the latency per unit of data: 1/R - 1/W, and +inf where nothing is read."""
    return 1.0 / read - 1.0 / written if read > 0.0 else math.inf
