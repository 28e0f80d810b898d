"""Limits of the work for a bound: counted, so that results do not depend on the machine."""

from __future__ import annotations

import math
from typing import NamedTuple

from algorithms.core.input_errors import InvalidParameterError

_ROUNDS, _STEPS, _COLUMNS, _NODES, _WORK = 10.0, 2e6, 1_600, 16.0, 1.25e9
_GUARD = 10.0

MOST_COLUMNS = 40_000
"""Most patterns that are kept at once, whatever the time: some hundred megabytes."""


CELL, PATTERN, STEP = 0.4, 10_000.0, 50.0
"""Work of a table cell, of a pattern that is looked up and kept, of a branch of the search."""

RESERVE = 0.35
"""Share of the budget that column generation leaves to the search and the integer programs."""


class Effort(NamedTuple):
    """Limits of the work for one bound."""

    rounds: int
    """Linear programs that are solved."""
    steps: int
    """Branches of the search for patterns that an integer program needs."""
    columns: int
    """Patterns that an integer program may have."""
    nodes: int
    """Nodes of its search tree."""
    work: float
    """Total work, in nanoseconds of a machine of 2024; see `Budget`."""
    guard: float
    """Wall-clock limit of one call of the solver, s. It is far above what the other limits allow,
    and stops calls that never end. Results depend on the machine only if it is reached."""


def effort(seconds: float) -> Effort:
    """Effort that takes about a given time on one core of a machine of 2024.

    Counts are at least 1. Raises InvalidParameterError unless the time is finite and above 0.

    >>> effort(2.0).rounds
    20
    """
    if not (math.isfinite(seconds) and seconds > 0.0):
        raise InvalidParameterError(f"seconds must be finite and above 0 (got {seconds})")
    return Effort(
        rounds=max(1, round(_ROUNDS * seconds)),
        steps=max(1, round(_STEPS * seconds)),
        columns=min(MOST_COLUMNS, max(1, round(_COLUMNS * seconds))),
        nodes=max(1, round(_NODES * seconds)),
        work=_WORK * seconds,
        guard=1.0 + _GUARD * seconds,
    )


class Budget:
    """Remaining work for all steps of one bound.

    Each step is charged before it starts, by the sizes of its tables and programs. A step that is
    too expensive is skipped, and the bound stays at what is known without it.
    """

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self.left = effort.work

    def takes(self, work: float, reserve: float = 0.0) -> bool:
        """Charge work if a reserve, a share of the whole, remains; return whether it does."""
        if work > self.left - reserve * self.effort.work:
            return False
        self.left -= work
        return True

    def steps(self) -> int:
        """Branches of a search that the remaining work allows."""
        return max(1, int(min(self.effort.steps, self.left / STEP)))
