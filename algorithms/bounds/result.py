"""An interval that contains an optimum."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.core.arrays import Ints

L2 = "l2"
"""The bound of Martello and Toth met an assignment; no model was built."""

PATTERNS = "patterns"
"""Column generation, with an integer program over the patterns where that was needed."""

RETENTION = "retention"
"""Each consumer keeps what it can, taken one by one; no model was built."""

SEARCH = "search"
"""All packings that could be better were tried, up to a limit."""

MODEL = "model"
"""An integer program of partitions and replicas."""

INFEASIBLE = "infeasible"
"""No assignment has so few consumers."""

EQUAL = 1e-6
"""Numbers (consumers, Rscores) that differ by less are equal: HiGHS cannot distinguish them."""


class Bound(NamedTuple):
    """An interval that contains the optimum."""

    lower: float
    """No assignment has less; infinite if there is no assignment at all."""
    upper: float
    """Value of a known assignment; infinite if none is known."""
    method: str
    """`L2`, `PATTERNS`, `RETENTION`, `SEARCH`, `MODEL` or `INFEASIBLE`: source of `lower`."""
    assignment: Ints | None
    """int32[P]: an assignment that has `upper`, -1 = absent; None if none is known."""

    @property
    def proved(self) -> bool:
        """Whether the optimum is known."""
        return self.lower == self.upper

    @property
    def gap(self) -> float:
        """By how much the known assignment may be above the optimum."""
        return self.upper - self.lower


def narrowed(lower: float, upper: float, method: str, assignment: Ints | None) -> Bound:
    """Bound whose ends are one number if they differ by at most `EQUAL`."""
    return Bound(upper if upper - lower <= EQUAL else lower, upper, method, assignment)
