"""Distance of an algorithm from bounds, over the iterations that have bounds."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError


class Gap(NamedTuple):
    """Ends of an interval; NaN where there is none."""

    low: float
    high: float


def excess(consumers: Floats, lower: Floats, upper: Floats) -> Gap:
    """CBS against the optimum: mean relative excess over the fewest consumers.

    consumers: float64[n], consumers in use.
    lower, upper: float64[n], bounds of the fewest consumers; 0 where no partition is present.
    Returns: mean of ``(z - upper) / upper`` and of ``(z - lower) / lower``, between which the mean
        over the optimum lies. Iterations without partitions count as 0. NaN if there are no
        iterations, or an upper bound is missing.

    >>> excess(np.array([12.0, 11.0]), np.array([10.0, 10.0]), np.array([10.0, 11.0]))
    Gap(low=0.1, high=0.15000000000000002)
    """
    _check_shapes(consumers, lower, upper)
    return Gap(_mean(_relative(consumers, upper)), _mean(_relative(consumers, lower)))


def distance(rscores: Floats, lower: Floats, upper: Floats) -> Gap:
    """Mean distance of Rscores from the least possible ones.

    rscores: float64[n], rscores of an algorithm.
    lower, upper: float64[n], bounds of the least possible ones; NaN where none is known.
    Returns: mean of ``rscore - upper`` and of ``rscore - lower``; an end is NaN if there are no
        iterations, or a bound is missing. Distances below 0 come from rounding and count as 0.

    >>> distance(np.array([0.5, 1.0]), np.array([0.25, 0.5]), np.array([0.25, 1.0]))
    Gap(low=0.125, high=0.375)
    """
    _check_shapes(rscores, lower, upper)
    return Gap(_mean(np.maximum(rscores - upper, 0.0)), _mean(np.maximum(rscores - lower, 0.0)))


def _relative(consumers: Floats, fewest: Floats) -> Floats:
    gaps = np.zeros(consumers.size)
    np.divide(consumers - fewest, fewest, out=gaps, where=~(fewest <= 0.0))
    return gaps


def _mean(values: Floats) -> float:
    """Mean whose sum is rounded once, so that it does not depend on the order."""
    return math.fsum(values) / values.size if values.size else math.nan


def _check_shapes(values: Floats, lower: Floats, upper: Floats) -> None:
    if not (values.ndim == 1 and values.shape == lower.shape == upper.shape):
        raise InvalidParameterError(
            "values, lower and upper must have one number per iteration each "
            f"(got shapes {values.shape}, {lower.shape} and {upper.shape})"
        )
