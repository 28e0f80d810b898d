"""Kafka's static assignment to a fixed number of consumers."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import (
    Floats,
    Ints,
    check_capacity,
    check_count,
    check_rates,
    check_seed,
)


def assign(rates: Floats, capacity: float, seed: int, *, n: int) -> Ints:
    """Assign a stream by kd_n: partition ``i`` is with consumer ``i mod n``, and stays there.

    Parameters
    ----------
    rates : float64[N, P]
        Write speeds in bytes/s, NaN = absent.
    capacity : float
        Packing capacity, bytes/s. Checked but not used: this assignment is blind to speeds.
    seed : int
        Seed of the stream. Checked but not used.
    n : int
        Number of consumers, ``1 .. P``.

    Returns
    -------
    int32[N, P]
        Consumer ids in ``0 .. n-1``, -1 = absent. Consumers can be above any capacity.

    Raises
    ------
    InvalidParameterError
        If an argument is out of its bounds.

    Notes
    -----
    The baseline "Kafka default" of Landau, Saurabh, Andrade, Barbosa 2024, Section VI-C. A
    partition that departs and arrives again comes back to the same consumer. O(N P).

    Examples
    --------
    >>> assign(np.array([[1.0, 2.0, 3.0], [1.0, np.nan, 3.0]]), 10.0, 0, n=2).tolist()
    [[0, 1, 0], [0, -1, 0]]
    """
    rates = check_rates(rates)
    check_capacity(capacity)
    check_seed(seed)
    n = check_count("n of kd_n", n, 1, rates.shape[1])
    home = np.arange(rates.shape[1], dtype=np.int32) % np.int32(n)
    return np.where(np.isnan(rates), np.int32(-1), home)
