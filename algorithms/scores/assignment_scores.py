"""Costs of an assignment: consumers, migrations, Rscore, CBS; and whether it is valid."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.arrays import (
    TOLERANCE,
    Floats,
    Ints,
    check_capacity,
    check_consumers,
    check_rates,
    check_same_shape,
)
from algorithms.core.compiled import allocating, kernel
from algorithms.core.input_errors import InvalidParameterError


class Audit(NamedTuple):
    """How many iterations break an invariant; all 0 for a valid assignment."""

    unassigned: int
    """Iterations with a present partition that has no consumer."""
    misplaced: int
    """Iterations with an absent partition that has a consumer."""
    overloaded: int
    """Iterations with a consumer above ``C (1 + 1e-9)`` that holds more than one partition."""
    consumers_out_of_range: int
    """Iterations with a consumer id that is neither -1 nor in ``0 .. P-1``."""


def n_consumers(consumers: Ints) -> Ints:
    """Number of consumers in use at each iteration.

    consumers: int32[N, P]; ids other than -1 and ``0 .. P-1`` are not counted; see `audit`.
    Returns: int32[N]; 0 where no partition is present.

    ``z(k)`` of Landau et al. 2024, Eq. 28. O(N P).

    >>> n_consumers(np.array([[0, 2, 0], [-1, 2, -1]], dtype=np.int32)).tolist()
    [2, 1]
    """
    consumers = check_consumers(consumers)
    counts = np.empty(consumers.shape[0], dtype=np.int32)
    _count_consumers(consumers, counts)
    return counts


@allocating
def _count_consumers(consumers: Ints, counts: Ints) -> None:
    n_iterations, n_partitions = consumers.shape
    last_seen = np.full(n_partitions, -1)
    for k in range(n_iterations):
        counts[k] = 0
        for consumer in consumers[k]:
            if 0 <= consumer < n_partitions and last_seen[consumer] != k:
                last_seen[consumer] = k
                counts[k] += 1


def n_migrations(consumers: Ints) -> Ints:
    """Number of migrated partitions at each iteration.

    A partition migrates if it is assigned at ``k-1`` and at ``k``, to different consumers.
    Arrivals and departures are not migrations.

    consumers: int32[N, P], consumer ids, -1 = absent.
    Returns: int32[N]; 0 at the first iteration.

    O(N P).

    >>> n_migrations(np.array([[0, 1, -1], [1, 1, 0], [0, -1, 0]], dtype=np.int32)).tolist()
    [0, 1, 1]
    """
    consumers = check_consumers(consumers)
    before, after = consumers[:-1], consumers[1:]
    counts = np.zeros(consumers.shape[0], dtype=np.int32)
    counts[1:] = np.count_nonzero((before != after) & (before >= 0) & (after >= 0), axis=1)
    return counts


def rscore(rates: Floats, consumers: Ints, capacity: float) -> Floats:
    """Speed of the migrated partitions at each iteration, in units of the capacity.

    rates: float64[N, P], write speeds in bytes/s, NaN = absent.
    consumers: int32[N, P], consumer ids, -1 = absent.
    capacity: Packing capacity C, bytes/s.
    Returns: float64[N], divided by C; no unit. 0 at the first iteration.

    Landau et al. 2024, Eq. 11. Summed in the order of the partitions. A partition that is
    assigned without being present, which `audit` reports, adds nothing. O(N P).

    >>> rates = np.array([[5.0, 3.0], [6.0, 3.0]])
    >>> rscore(rates, np.array([[0, 0], [1, 0]], dtype=np.int32), 10.0).tolist()
    [0.0, 0.6]
    """
    rates, consumers = check_rates(rates), check_consumers(consumers)
    check_same_shape(rates, consumers)
    capacity = check_capacity(capacity)
    scores = np.zeros(rates.shape[0])
    _rscore(rates, consumers, capacity, scores)
    return scores


@kernel
def _rscore(rates: Floats, consumers: Ints, capacity: float, scores: Floats) -> None:
    n_iterations, n_partitions = rates.shape
    for k in range(1, n_iterations):
        moved = 0.0
        for j in range(n_partitions):
            before, after = consumers[k - 1, j], consumers[k, j]
            # A NaN is not above 0, and a 0 adds nothing.
            if before != after and before >= 0 and after >= 0 and rates[k, j] > 0.0:
                moved += rates[k, j]
        scores[k] = moved / capacity


def cbs(z: NDArray[np.integer], minimum: NDArray[np.integer]) -> float:
    """Mean relative excess of consumers over the fewest that any reference algorithm needs.

    z: int[N], consumers at each iteration.
    minimum: int[N], fewest consumers at each iteration; see
        `algorithms.scores.sweep.reference_minimum`.
    Returns: mean of ``(z - minimum) / minimum``; no unit. Iterations without partitions, where both
        are 0, count as 0. Below 0 only for an algorithm that beats the whole reference set.

    The cardinal bin score of Landau et al. 2024, Eq. 28. The sum is rounded once, so that it is
    the same in any order and on any processor.

    >>> cbs(np.array([3, 2, 0]), np.array([2, 2, 0]))
    0.16666666666666666
    """
    _check_counts(z, minimum)
    excess = np.zeros(z.shape[0])
    np.divide(z - minimum, minimum, out=excess, where=minimum > 0)
    return math.fsum(excess) / excess.size


def _check_counts(z: NDArray[np.integer], minimum: NDArray[np.integer]) -> None:
    if z.ndim != 1 or z.size == 0 or z.shape != minimum.shape:
        raise InvalidParameterError(
            f"z and minimum must have one number per iteration each (got shapes {z.shape} and "
            f"{minimum.shape})"
        )
    wrong = (z < 0) | (minimum < 0) | ((minimum == 0) & (z > 0))
    if wrong.any():
        k = int(np.argmax(wrong))
        raise InvalidParameterError(
            "z and minimum must be at least 0, and minimum at least 1 where z is "
            f"(got {z[k]} and {minimum[k]} at index {k})"
        )


def audit(rates: Floats, consumers: Ints, capacity: float) -> Audit:
    """Count the iterations in which an assignment is not valid.

    rates: float64[N, P], write speeds in bytes/s, NaN = absent.
    consumers: int32[N, P], consumer ids, -1 = absent; any others are counted as out of range.
    capacity: Packing capacity C, bytes/s.

    Only Kafka's static assignment may overload. O(N P).

    >>> rates = np.array([[6.0, 5.0], [6.0, np.nan]])
    >>> audit(rates, np.array([[0, 0], [0, 1]], dtype=np.int32), 10.0)
    Audit(unassigned=0, misplaced=1, overloaded=1, consumers_out_of_range=0)
    """
    rates, consumers = check_rates(rates), check_consumers(consumers)
    check_same_shape(rates, consumers)
    absent = np.isnan(rates)
    outside = (consumers < -1) | (consumers >= rates.shape[1])
    limit = check_capacity(capacity) * (1.0 + TOLERANCE)
    return Audit(
        unassigned=_iterations(~absent & (consumers == -1)),
        misplaced=_iterations(absent & (consumers != -1)),
        overloaded=int(_count_overloaded(rates, consumers, limit)),
        consumers_out_of_range=_iterations(outside),
    )


def _iterations(cells: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(cells.any(axis=1)))


@allocating
def _count_overloaded(rates: Floats, consumers: Ints, limit: float) -> int:
    n_iterations, n_partitions = rates.shape
    loads = np.empty(n_partitions)
    held = np.empty(n_partitions, dtype=np.int64)
    count = 0
    for k in range(n_iterations):
        loads[:] = 0.0
        held[:] = 0
        overloaded = False
        for j in range(n_partitions):
            consumer = consumers[k, j]
            if 0 <= consumer < n_partitions and rates[k, j] >= 0.0:
                loads[consumer] += rates[k, j]
                held[consumer] += 1
                # Speeds are not negative: a load that is too high stays too high.
                overloaded |= held[consumer] > 1 and loads[consumer] > limit
        count += overloaded
    return count
