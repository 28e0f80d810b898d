"""Split of one total rate over the partitions of a topic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.core.arrays import MAX_PARTITIONS, Floats, check_count
from algorithms.core.input_errors import InvalidParameterError

SPLITS = ("equal", "weights", "skew")
ROUNDINGS = ("none", "ceil")

MIN_SKEWED = 3
"""Fewest partitions that can be skewed."""


def split(
    total: Sequence[float] | Floats,
    partitions: int,
    how: str = "equal",
    weights: Sequence[float] | Floats | None = None,
    rounding: str = "none",
) -> Floats:
    """Split a total rate over partitions.

    total: float64[N], total rate of each step, events/s, finite and at least 0.
    how: ``equal``; ``weights``: in proportion to `weights`; ``skew``: partitions 0 and 1 get a
        quarter each, and the others share half evenly.
    weights: length P, finite, at least 0, with a finite sum above 0; only for ``weights``.
    rounding: ``ceil`` rounds the total up to an integer before the split.
    Returns: float64[N, P], rates of the partitions, events/s.

    The skewed split is that of Ezzeddine 2024, Section 5.1. O(N P).

    >>> split([99.5, 40.0], 4, "skew", rounding="ceil").tolist()
    [[25.0, 25.0, 25.0, 25.0], [10.0, 10.0, 10.0, 10.0]]
    >>> split([90.0], 3, "weights", [1, 3, 5]).tolist()
    [[10.0, 30.0, 50.0]]
    """
    rates = _total(total)
    p = check_count("partitions", partitions, 1, MAX_PARTITIONS)
    if rounding not in ROUNDINGS:
        raise InvalidParameterError(
            f"rounding must be one of {', '.join(ROUNDINGS)} (got {rounding!r})"
        )
    if rounding == "ceil":
        rates = np.ceil(rates)
    part, whole = _shares(p, how, weights)
    return rates[:, np.newaxis] * part / whole


def _shares(
    partitions: int, how: str, weights: Sequence[float] | Floats | None
) -> tuple[Floats, Floats]:
    """Share of each partition, as numerator and denominator: so tenths are rounded only once."""
    if how not in SPLITS:
        raise InvalidParameterError(f"split must be one of {', '.join(SPLITS)} (got {how!r})")
    if (weights is None) == (how == "weights"):
        raise InvalidParameterError(
            f"weights are required by the split 'weights' and by no other (split is {how!r})"
        )
    ones = np.ones(partitions)
    if how == "equal":
        return ones, ones * partitions
    if how == "skew":
        return ones, _skewed(partitions)
    numerators = _weights(partitions, weights)
    return numerators, ones * numerators.sum()


def _skewed(partitions: int) -> Floats:
    if partitions < MIN_SKEWED:
        raise InvalidParameterError(
            f"partitions must be at least {MIN_SKEWED} for the split 'skew' (got {partitions})"
        )
    whole = np.full(partitions, 2.0 * (partitions - 2))
    whole[:2] = 4.0
    return whole


def _weights(partitions: int, weights: Sequence[float] | Floats | None) -> Floats:
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (partitions,):
        raise InvalidParameterError(
            f"weights must have shape ({partitions},), one per partition (got {array.shape})"
        )
    with np.errstate(over="ignore"):
        whole = array.sum()
    if not (np.isfinite(array) & (array >= 0.0)).all() or not 0.0 < whole < np.inf:
        raise InvalidParameterError(
            f"weights must be finite, at least 0, with a finite sum above 0 (got {array.tolist()})"
        )
    return array


def _total(total: Sequence[float] | Floats) -> Floats:
    rates = np.array(total, dtype=np.float64)
    if rates.ndim != 1 or rates.size == 0:
        raise InvalidParameterError(
            f"total must have shape (steps,), with at least one step (got {rates.shape})"
        )
    wrong = ~(np.isfinite(rates) & (rates >= 0.0))
    if wrong.any():
        k = int(np.argmax(wrong))
        raise InvalidParameterError(
            f"total[{k}] must be finite and at least 0 events/s (got {rates[k]})"
        )
    return rates
