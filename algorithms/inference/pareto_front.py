"""Fronts of non-dominated points."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Bools, Floats
from algorithms.core.input_errors import InvalidParameterError


def non_dominated(points: Floats) -> Bools:
    """Find the points that no other point dominates; all coordinates are minimised.

    A point dominates another if it is at most as large in every coordinate and smaller in one.
    Equal points do not dominate each other: both are on the front, or neither is.

    points: float64[n, d], one point per row, ``d >= 1`` coordinates of any unit. May be infinite; n
        may be 0.
    Returns: bool[n], whether the point is on the front. If there are points, at least one of them
        is.
    Raises InvalidParameterError if the shape is wrong or a coordinate is NaN.

    The Pareto front of (CBS, mean Rscore) in Landau et al. 2024, Section VI-E. O(n² d) time,
    O(n d) space.

    >>> points = np.array([[0.1, 3.0], [0.2, 1.0], [0.2, 2.0], [0.1, 3.0]])
    >>> non_dominated(points).tolist()
    [True, True, False, True]
    """
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] == 0:
        raise InvalidParameterError(
            "points must have shape (points, coordinates) with at least 1 coordinate "
            f"(got {points.shape})"
        )
    undefined = np.isnan(points).any(axis=1)
    if undefined.any():
        raise InvalidParameterError(f"points[{int(undefined.argmax())}] must not be NaN")
    return np.array([not _is_dominated(point, points) for point in points], dtype=np.bool_)


def _is_dominated(point: Floats, points: Floats) -> bool:
    dominating = (points <= point).all(axis=1) & (points < point).any(axis=1)
    return bool(dominating.any())
