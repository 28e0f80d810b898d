"""Types of input and output arrays, and the checks that public functions make of them.

Conventions used throughout: ``N`` iterations, ``P`` partitions. *Rates* are ``float64[N, P]``
in bytes/s, NaN where the partition is absent. *Consumers* are ``int32[N, P]``, the consumer id
of each partition in ``0 .. P-1``, -1 where the partition is absent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.core.input_errors import InvalidParameterError

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]

MAX_SEED = 2**63 - 1
MAX_PARTITIONS = 2**31 - 1

MIN_CAPACITY, MAX_CAPACITY = 1e-290, 1e290
"""Range of capacities, bytes/s. Within it, the products and quotients that algorithms and bounds
form of them, with counts and grids of units, are neither infinite nor rounded to 0."""


TOLERANCE = 1e-9
"""Relative excess over the capacity that rounding may explain: sums depend on their order."""


def check_rates(rates: Floats) -> Floats:
    """Check the write speeds of a stream.

    Returns: float64[N, P], the same values, C-contiguous and writeable: the only layout that
        kernels are compiled for. It is the given array itself if that already has this layout.
    Raises InvalidParameterError if the type or shape is wrong, or a speed is negative or infinite.
    """
    _check_matrix("rates", rates, np.dtype(np.float64), "rates.astype(np.float64)")
    # Both pass over NaN.
    if np.fmin.reduce(rates, axis=None) < 0.0 or np.fmax.reduce(rates, axis=None) == np.inf:
        k, j = (int(i) for i in np.argwhere((rates < 0.0) | (rates == np.inf))[0])
        raise InvalidParameterError(
            f"rates[{k}, {j}] (iteration {k + 1}) must be finite and at least 0 bytes/s "
            f"(got {rates[k, j]}); use NaN for an absent partition"
        )
    # A controller checks the rates of each step: `require` takes ten times as long to see that.
    return rates if rates.flags.carray else np.require(rates, requirements=["C", "W"])


def check_consumers(consumers: Ints) -> Ints:
    """Check type and shape, not ids; return int32[N, P], C-contiguous and writeable."""
    _check_matrix("consumers", consumers, np.dtype(np.int32), "consumers.astype(np.int32)")
    return np.require(consumers, requirements=["C", "W"])


def check_same_shape(rates: Floats, consumers: Ints) -> None:
    """Raise `InvalidParameterError` unless rates and consumers are of the same stream."""
    if rates.shape != consumers.shape:
        raise InvalidParameterError(
            "consumers and rates must have one row per iteration and one column per partition "
            f"(got shapes {consumers.shape} and {rates.shape})"
        )


def check_capacity(capacity: float, name: str = "capacity") -> float:
    """Return a consumer's capacity in bytes/s, or raise if it is invalid.

    Raises InvalidParameterError, with the name, unless it is from `MIN_CAPACITY` to `MAX_CAPACITY`.
    """
    value = float(capacity)
    if not MIN_CAPACITY <= value <= MAX_CAPACITY:
        raise InvalidParameterError(
            f"{name} must be between {MIN_CAPACITY:g} and {MAX_CAPACITY:g} bytes/s "
            f"(got {capacity}); use another unit if necessary"
        )
    return value


def check_seed(seed: int) -> int:
    """Return a stream's seed, or raise `InvalidParameterError` unless it is in 0 .. 2**63 - 1."""
    return check_count("seed", seed, 0, MAX_SEED)


def check_count(name: str, value: int, minimum: int, maximum: int) -> int:
    """Return a plain integer within bounds, or raise; NumPy's are allowed, booleans are not."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InvalidParameterError(
            f"{name} must be an integer between {minimum} and {maximum} (got {value!r})"
        )
    if not minimum <= value <= maximum:
        raise InvalidParameterError(f"{name} must be between {minimum} and {maximum} (got {value})")
    return int(value)


def _check_matrix(name: str, array: object, dtype: np.dtype[np.generic], remedy: str) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise InvalidParameterError(f"{name} must be of type {dtype} (got {kind}); use {remedy}")
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidParameterError(
            f"{name} must have shape (iterations, partitions), both at least 1 (got {array.shape})"
        )
