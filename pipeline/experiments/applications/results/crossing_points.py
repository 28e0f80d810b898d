"""From which backlog on seamless scaling responds later than a restart, by receiver queue."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from algorithms.inference.intervals import Interval, mean_interval
from pipeline.reporting.sections import numbers

TOGETHER, STAGGERED = "restart_s", "staggered_s"
"""Columns of `prefetch_crossings`: restarts whose instances start at once, or one by one."""

MATTERS_S = 0.05
"""Smaller differences count as none, s."""

UNKNOWN = "not known"
"""What words say without intervals."""

RESTARTS = {TOGETHER: "all at once", STAGGERED: "one after another"}
"""How the instances of a restart start, in words."""


class Later(NamedTuple):
    """How much later seamless scaling responds than one of the restarts."""

    receiver_queue: int
    backlog: int
    restart: str
    """`TOGETHER` or `STAGGERED`."""
    by_s: Interval
    """Mean over replicates with its 95 % interval; below 0: it responds earlier."""

    @property
    def sign(self) -> int:
        """1: later; -1: earlier; 0: the interval contains 0, or it is by less than `MATTERS_S`."""
        if not abs(self.by_s.mean) >= MATTERS_S:
            return 0
        return int(self.by_s.low > 0.0) - int(self.by_s.high < 0.0)


def compared(crossings: pd.DataFrame, seed: int) -> list[Later]:
    """Each receiver queue with each backlog, ascending, for both kinds of restart."""
    return list(_compared(crossings, seed))


def _compared(crossings: pd.DataFrame, seed: int) -> Iterator[Later]:
    for (queue, backlog), rows in crossings.groupby(["receiver_queue", "backlog"]):
        ordered = rows.sort_values("replicate")
        for restart in RESTARTS:
            differences = (ordered["seamless_s"] - ordered[restart]).to_numpy(dtype=float)
            yield Later(int(queue), int(backlog), restart, mean_interval(differences, seed=seed))


def later_at(cells: list[Later], receiver_queue: int, restart: str) -> list[int]:
    """Backlogs, ascending, at which seamless scaling responds later."""
    return [
        cell.backlog
        for cell in cells
        if (cell.receiver_queue, cell.restart, cell.sign) == (receiver_queue, restart, 1)
    ]


def words(cells: list[Later], receiver_queue: int, restart: str) -> str:
    """These backlogs in words."""
    if any(math.isnan(cell.by_s.low) for cell in cells):
        return UNKNOWN
    later = later_at(cells, receiver_queue, restart)
    tried = sorted({cell.backlog for cell in cells})
    if not later:
        return f"at no backlog up to {tried[-1]:,}"
    between = [backlog for backlog in tried if later[0] <= backlog <= later[-1]]
    if later != between:
        return f"at backlogs of {numbers.listing([f'{backlog:,}' for backlog in later])}"
    if later[-1] == tried[-1]:
        return f"at backlogs from {later[0]:,} on"
    return f"at backlogs from {later[0]:,} to {later[-1]:,}"
