"""Which algorithms beat another one in two objectives, on means and on single replicates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.paired import check_replicates


class Beaten(NamedTuple):
    """How an algorithm is dominated."""

    by: int | None
    """Column of the algorithm that dominates it, None where none does."""
    dominators: int
    """Number of algorithms that dominate it on the means."""
    replicates: int
    """Replicates on which `by` dominates as well; 0 if there is none."""


def dominated(first: Floats, second: Floats, column: int) -> Beaten:
    """Find the algorithm that most clearly dominates another one.

    An algorithm dominates another if its means over replicates are at most as large in both
    objectives, and smaller in one.

    first, second: float64[n, k], both objectives, such as CBS and Rscore, lower is better: one row
        per replicate, one column per algorithm, finite.
    column: The algorithm that may be dominated.
    Returns: of several that dominate, the one that does so on most replicates, then the one with
        the least mean in the second objective, then in the first, then the lower column.

    O(n k).

    >>> cbs = np.array([[0.5, 0.1, 0.0], [0.5, 0.1, 0.0]])
    >>> rscore = np.array([[3.0, 2.0, 4.0], [3.0, 3.5, 1.0]])
    >>> dominated(cbs, rscore, 0), dominated(cbs, rscore, 2)
    (Beaten(by=2, dominators=2, replicates=1), Beaten(by=None, dominators=0, replicates=0))
    """
    first, second = check_replicates(first), check_replicates(second)
    if first.shape != second.shape or not 0 <= column < first.shape[1]:
        raise InvalidParameterError(
            "both objectives must have the same shape, which includes column "
            f"(got {first.shape}, {second.shape} and column {column})"
        )
    means = np.stack([first.mean(axis=0), second.mean(axis=0)])
    better = np.flatnonzero(_dominating(means[0], means[1], column))
    if not better.size:
        return Beaten(None, 0, 0)
    times = np.array([_dominating(a, b, column) for a, b in zip(first, second, strict=True)])
    counts = times.sum(axis=0)
    clearest = min(better.tolist(), key=lambda j: (-counts[j], means[1, j], means[0, j], j))
    return Beaten(int(clearest), int(better.size), int(counts[clearest]))


def _dominating(first: Floats, second: Floats, column: int) -> Bools:
    """Which algorithms dominate one of them in a single row."""
    at_most = (first <= first[column]) & (second <= second[column])
    less = (first < first[column]) | (second < second[column])
    dominating: Bools = at_most & less
    return dominating
