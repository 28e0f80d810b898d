"""Whether two measures rank things alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float:
    """Kendall's τ-b of two rankings.

    first, second: Values of the same things; infinities are allowed.
    Returns: 1 if both rank alike, -1 if one is the other's reverse; NaN if all values of one are
        equal, or there are fewer than two.
    Raises ValueError if the lengths differ.

    (C - D) / √((C + D + T₁)(C + D + T₂)) with C and D pairs in the same and in the opposite order,
    and Tᵢ pairs that are tied in the other measure only: Kendall 1945. O(n²).

    >>> kendall_tau([1.0, 2.0, 3.0], [10.0, 30.0, 20.0])
    0.3333333333333333
    """
    signs = [
        (_sign(a, b), _sign(c, d))
        for (a, c), (b, d) in combinations(zip(first, second, strict=True), 2)
    ]
    score = sum(one * other for one, other in signs)
    untied = [sum(pair[side] != 0 for pair in signs) for side in (0, 1)]
    return score / math.sqrt(untied[0] * untied[1]) if all(untied) else math.nan


def _sign(a: float, b: float) -> int:
    return (a > b) - (a < b)
