"""What is known of an optimum."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.core.arrays import Ints

L2 = "l2"
"""The bound of Martello and Toth met an assignment; no model was made."""

PATTERNS = "patterns"
"""Column generation, with an integer program over the patterns where that was needed."""

RETENTION = "retention"
"""Each consumer keeps what it can, taken one by one; no model was made."""

INFEASIBLE = "infeasible"
"""No assignment has so few consumers."""

EQUAL = 1e-6
"""Numbers (consumers, Rscores) that differ by less are equal: what HiGHS can tell apart."""


class Bound(NamedTuple):
    """An interval that holds the optimum.

    Attributes
    ----------
    lower : float
        No assignment has less; infinite if there is no assignment at all.
    upper : float
        An assignment that has this is known; infinite if none is.
    method : str
        `L2`, `PATTERNS`, `RETENTION` or `INFEASIBLE`: what the lower bound comes from.
    assignment : int32[P] or None
        An assignment that has `upper`, -1 = absent; None if none is known.
    """

    lower: float
    upper: float
    method: str
    assignment: Ints | None

    @property
    def proved(self) -> bool:
        """Whether the optimum is known."""
        return self.lower == self.upper


def narrowed(lower: float, upper: float, method: str, assignment: Ints | None) -> Bound:
    """Bound whose ends are one number where they differ by less than `EQUAL`."""
    return Bound(upper if upper - lower <= EQUAL else lower, upper, method, assignment)
