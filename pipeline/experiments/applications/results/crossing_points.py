"""From which backlog on seamless scaling responds later than a restart, by receiver queue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from algorithms.inference.intervals import Interval, mean_interval

TOGETHER, STAGGERED = "restart_s", "staggered_s"
"""Columns of `prefetch_crossings`: restarts whose instances start at once, or one by one."""

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
        """1: later; -1: earlier; 0: the interval contains 0, or is unknown."""
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


def first_later(cells: list[Later], receiver_queue: int, restart: str) -> int | None:
    """The least backlog from which on seamless scaling is later at all backlogs; None: never."""
    own = [
        cell for cell in cells if (cell.receiver_queue, cell.restart) == (receiver_queue, restart)
    ]
    first = None
    for cell in reversed(own):
        if cell.sign != 1:
            break
        first = cell.backlog
    return first
