"""Which rates a row of a trace has, where some partitions have none at the moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

WAIT_ROWS = 3
"""Periods that the first row waits for partitions without a rate; then their cells are empty."""

HOLD_S = 30.0
"""For how long a rate holds where there is no newer one, seconds.

A new leader or a log that shrank is no reason to think that a partition is gone, which an empty
cell of a trace says. A partition without a leader for longer is as good as gone.
"""


class RowRates:
    """Completes rates to rows of cells, a period in s apart."""

    def __init__(self, partitions: int, period_s: float) -> None:
        self._rates: list[float | None] = [None] * partitions
        self._ages = [0] * partitions
        self._most = max(int(HOLD_S / period_s), 1)
        self._waited = 0
        self._has_begun = False

    def row(self, rates: Mapping[int, float]) -> Sequence[float | None] | None:
        """Take the rates of a period, and return its row.

        Returns: Bytes/s by partition; None for a partition without. None instead of a row while
            nothing is known, or the first row waits.
        """
        for partition in range(len(self._rates)):
            self._update(partition, rates.get(partition))
        if not rates:
            return None
        if not self._has_begun:
            self._waited += 1
            is_complete = None not in self._rates
            self._has_begun = is_complete or self._waited > WAIT_ROWS
        return tuple(self._rates) if self._has_begun else None

    def _update(self, partition: int, rate: float | None) -> None:
        if rate is not None:
            self._rates[partition], self._ages[partition] = rate, 0
            return
        self._ages[partition] += 1
        if self._ages[partition] > self._most:
            self._rates[partition] = None
