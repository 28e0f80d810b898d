"""Quality of fronts of two objectives: hypervolume, additive epsilon, attainment surfaces."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.pareto_front import non_dominated

CBS_UNIT = 0.25
"""CBS that counts as 1 on the axes of a front."""

REFERENCE_POINT = (1.1, 1.1)
"""Corner up to which hypervolumes are measured, on those axes."""


def on_axes(points: Floats, rscore_unit: float) -> Floats:
    """Points of CBS and mean Rscore on axes without units.

    points: float64[n, 2], CBS (a ratio) and mean Rscore of each point, finite.
    rscore_unit: Mean Rscore, above 0, that counts as 1: that of best fit decreasing.
    Returns: float64[n, 2], CBS over 0.25, and mean Rscore over the given one.
    """
    points = _check_points("points", points)
    if not (math.isfinite(rscore_unit) and rscore_unit > 0.0):
        raise InvalidParameterError(
            f"rscore_unit must be finite and above 0 (got {rscore_unit}); there is no such axis "
            "if best fit decreasing was not run, or moves nothing"
        )
    scaled: Floats = points / np.array([CBS_UNIT, rscore_unit])
    return scaled


def hypervolume(points: Floats, reference: tuple[float, float] = REFERENCE_POINT) -> float:
    """Area that points dominate, up to a reference point; more is better.

    points: float64[n, 2], one point per row, both coordinates minimised, finite; n may be 0.

    A point that is not below the reference point in both coordinates adds nothing.

    Zitzler and Thiele 1998; a sweep in the order of the first coordinate. O(n log n).

    >>> hypervolume(np.array([[0.5, 0.25], [0.25, 0.75], [2.0, 0.0]]), (1.0, 1.0))
    0.4375
    """
    corner = _check_points("reference", np.array([reference]))[0]
    points = _check_points("points", points)
    inside = points[(points < corner).all(axis=1)]
    inside = inside[np.lexsort((inside[:, 1], inside[:, 0]))]
    area, level = 0.0, float(corner[1])
    for x, y in inside.tolist():
        if y < level:
            area += (float(corner[0]) - x) * (level - y)
            level = y
    return area


def epsilon(points: Floats, others: Floats) -> float:
    """Least amount to subtract from all coordinates of some points so that they cover others.

    points, others: float64[n, 2], float64[m, 2], points on axes without units, both coordinates
        minimised, finite; at least one each.
    Returns: the amount. With it subtracted, each of the others has a point that is at most as large
        in both coordinates. At most 0 if that already holds without it.

    The additive epsilon indicator of Zitzler et al. 2003. O(n m).

    >>> epsilon(np.array([[0.5, 0.5]]), np.array([[0.25, 0.75], [0.5, 0.375]]))
    0.25
    """
    points, others = _check_points("points", points), _check_points("others", others)
    if not len(points) or not len(others):
        raise InvalidParameterError(
            f"points and others must have at least 1 row each (got {len(points)} and {len(others)})"
        )
    shift = (points[None, :, :] - others[:, None, :]).max(axis=2)
    return float(shift.min(axis=1).max())


def attainment(fronts: Sequence[Floats], level: float) -> Floats:
    """Surface that a share of the replicates attains.

    fronts: sequence of float64[n, 2], the points of each replicate, of any units, both coordinates
        minimised, finite; at least one replicate, at least one point in each.
    level: The share, above 0 and at most 1.
    Returns: float64[m, 2], corners of the surface, by the first coordinate: at least ``ceil(level
        n)`` of the n replicates have a point at most as large in both coordinates as a corner, and
        as any other point that a corner dominates.

    The empirical attainment function of Grunert da Fonseca, Fonseca and Hall 2001. Left of or at
    each first coordinate that occurs, every replicate has a least second coordinate; the surface
    is the order statistic of these, kept sorted by a sweep. O(t (log t + n)) for t points in all.

    >>> one, two = np.array([[1.0, 3.0], [2.0, 1.0]]), np.array([[1.0, 2.0]])
    >>> attainment([one, two], 0.5).tolist(), attainment([one, two], 1.0).tolist()
    ([[1.0, 2.0], [2.0, 1.0]], [[1.0, 3.0], [2.0, 2.0]])
    """
    checked = [_check_points(f"fronts[{i}]", front) for i, front in enumerate(fronts)]
    if not checked or not all(len(front) for front in checked):
        raise InvalidParameterError(
            "fronts must have at least 1 replicate and a point in each (got "
            f"{len(checked)} replicates); leave out replicates without points"
        )
    if not 0.0 < level <= 1.0:
        raise InvalidParameterError(
            f"level must be above 0 and at most 1 (got {level}); write 25 % as 0.25"
        )
    # A share such as 0.07 of 100 is a little more than 7 in doubles.
    rank = math.ceil(level * len(checked) * (1.0 - 1e-12))
    return np.array(_corners(checked, rank), dtype=np.float64).reshape(-1, 2)


def _corners(fronts: Sequence[Floats], rank: int) -> list[tuple[float, float]]:
    """Corners at which the ``rank``-th least second coordinate of all replicates falls."""
    points = sorted((x, y, i) for i, replicate in enumerate(fronts) for x, y in replicate.tolist())
    least = [math.inf] * len(fronts)
    ordered, corners, level = list(least), [], math.inf
    for x, at_x in groupby(points, key=lambda point: point[0]):
        for _, y, i in at_x:
            if y < least[i]:
                del ordered[bisect_left(ordered, least[i])]
                insort(ordered, y)
                least[i] = y
        if ordered[rank - 1] < level:
            level = ordered[rank - 1]
            corners.append((x, level))
    return corners


def front(points: Floats) -> Floats:
    """Points that no other point dominates, each once, by the first coordinate.

    points: float64[n, 2], one point per row, both coordinates minimised, finite.
    """
    points = _check_points("points", points)
    return np.unique(points[non_dominated(points)], axis=0) if len(points) else points


def _check_points(name: str, points: Floats) -> Floats:
    array = np.asarray(points, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InvalidParameterError(f"{name} must have shape (points, 2) (got {array.shape})")
    if not np.isfinite(array).all():
        raise InvalidParameterError(f"{name} must be finite; leave out other points")
    return array
