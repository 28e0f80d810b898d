"""Generated streams: every partition's write speed follows a random walk."""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.arrays import MAX_PARTITIONS, Floats, check_capacity, check_count, check_seed
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError


def generate(
    partitions: int,
    iterations: int,
    delta: float,
    capacity: float,
    initial_rate: float | None,
    seed: int,
    clip: bool = True,
) -> Floats:
    """Generate a stream.

    delta: Greatest change δ of a speed from one iteration to the next, ``0 .. 100`` % of C.
    capacity: Packing capacity C, bytes/s.
    initial_rate: Speed of every partition at the first iteration, ``0 .. 100`` % of C; None draws
        each one uniformly from that range.
    seed: Seed of the stream, ``0 .. 2**63 - 1``; see `algorithms.core.seeds.stream_seed`.
    clip: Whether speeds are limited to C, as in the authors' published measurements. Otherwise the
        stream follows Eq. 15 as printed, and partitions may exceed C.
    Returns: float64[N, P], write speeds in bytes/s; every partition is present all the time.

    ``s(k) = clip(s(k-1) + φ C / 100, 0, C)`` with φ uniform in ``[-δ, δ]``: Landau et al. 2024,
    Eq. 15. The numbers come from PCG64, row by row and P of them for the start too: more
    iterations extend a stream without changing it, streams of one seed take the same steps
    from each start, and δ scales the steps. O(N P).

    >>> generate(2, 3, delta=0.0, capacity=100.0, initial_rate=50.0, seed=1).tolist()
    [[50.0, 50.0], [50.0, 50.0], [50.0, 50.0]]
    """
    shape = (
        check_count("iterations", iterations, 1, MAX_PARTITIONS),
        check_count("partitions", partitions, 1, MAX_PARTITIONS),
    )
    capacity = check_capacity(capacity)
    step = _fraction("delta", delta) * capacity
    draws = np.random.Generator(np.random.PCG64(check_seed(seed))).random(shape)
    if initial_rate is None:
        draws[0] *= capacity
    else:
        draws[0] = _fraction("initial_rate", initial_rate) * capacity
    _walk(draws, step, capacity if clip else np.inf)
    return draws


def _fraction(name: str, percent: float) -> float:
    value = float(percent)
    if not (math.isfinite(value) and 0.0 <= value <= 100.0):
        raise InvalidParameterError(
            f"{name} must be between 0 and 100 % of the capacity (got {percent})"
        )
    return value / 100.0


@kernel
def _walk(rates: Floats, step: float, ceiling: float) -> None:
    """Turn numbers in [0, 1) into speeds, row by row; the first row holds speeds already."""
    for k in range(1, rates.shape[0]):
        for j in range(rates.shape[1]):
            speed = rates[k - 1, j] + (2.0 * rates[k, j] - 1.0) * step
            rates[k, j] = min(max(speed, 0.0), ceiling)
