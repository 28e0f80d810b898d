"""Which algorithms beat another one in both objectives, on means and on single replicates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.paired import check_replicates


class Beaten(NamedTuple):
    """How an algorithm is dominated.

    Attributes
    ----------
    by : int or None
        Column of the algorithm that dominates it, None where none does.
    dominators : int
        Number of algorithms that dominate it on the means.
    replicates : int
        Replicates on which `by` dominates as well; 0 if there is none.
    """

    by: int | None
    dominators: int
    replicates: int


def dominated(cbs: Floats, rscore: Floats, column: int) -> Beaten:
    """Find the algorithm that most clearly dominates another one.

    An algorithm dominates another if its means over replicates are at most as large in both
    objectives, and smaller in one.

    Parameters
    ----------
    cbs, rscore : float64[n, k]
        Both objectives: one row per replicate, one column per algorithm, finite.
    column : int
        The algorithm that may be dominated.

    Returns
    -------
    Beaten
        Of several that dominate, the one that does so on most replicates, then the one with the
        least mean Rscore, then the least mean CBS, then the first.

    Raises
    ------
    InvalidParameterError
        If the shapes differ or are not matrices, a value is not finite, or there is no such
        column.

    Notes
    -----
    O(n k).

    Examples
    --------
    >>> cbs = np.array([[0.5, 0.1, 0.0], [0.5, 0.1, 0.0]])
    >>> rscore = np.array([[3.0, 2.0, 4.0], [3.0, 3.5, 1.0]])
    >>> dominated(cbs, rscore, 0), dominated(cbs, rscore, 2)
    (Beaten(by=2, dominators=2, replicates=1), Beaten(by=None, dominators=0, replicates=0))
    """
    cbs, rscore = check_replicates(cbs), check_replicates(rscore)
    if cbs.shape != rscore.shape or not 0 <= column < cbs.shape[1]:
        raise InvalidParameterError(
            "cbs and rscore must have the same shape, which includes column "
            f"(got {cbs.shape}, {rscore.shape} and column {column})"
        )
    means = np.stack([cbs.mean(axis=0), rscore.mean(axis=0)])
    better = np.flatnonzero(_dominating(means[0], means[1], column))
    if not better.size:
        return Beaten(None, 0, 0)
    times = np.array([_dominating(c, r, column) for c, r in zip(cbs, rscore, strict=True)])
    counts = times.sum(axis=0)
    chosen = min(better.tolist(), key=lambda j: (-counts[j], means[1, j], means[0, j], j))
    return Beaten(int(chosen), int(better.size), int(counts[chosen]))


def _dominating(cbs: Floats, rscore: Floats, column: int) -> Bools:
    """Which algorithms dominate one of them in a single row."""
    at_most = (cbs <= cbs[column]) & (rscore <= rscore[column])
    less = (cbs < cbs[column]) | (rscore < rscore[column])
    found: Bools = at_most & less
    return found
