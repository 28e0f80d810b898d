"""The monitor alone: records the rates of a topic as a trace. Only reads from the cluster."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Protocol

from live.speeds.speed_windows import LogSize
from live.user_cluster.log_growth import LogGrowth
from live.user_cluster.row_rates import RowRates
from live.user_cluster.trace_file import TraceFile


class Sizes(Protocol):
    """Where sizes of logs come from."""

    def read(self, seconds: float) -> dict[int, LogSize]:
        """Sizes by partition; those that are known in time."""


class RateRecorder:
    """Writes a row each period.

    A row has the mean rates of the time from its timestamp to the next row's, so that rates × time
    give the bytes written.

    rate: Bytes/s of all partitions in the last row.
    missed, silent: Periods in which no broker has answered: in all, and since the last answer.
    grown: Partitions that the topic has beyond those in the trace.
    total: Bytes written to the topic during the rows.
    """

    def __init__(self, sizes: Sizes, file: TraceFile, partitions: int, period_s: float) -> None:
        self._sizes, self._file = sizes, file
        self.partitions, self._period_s = partitions, period_s
        self._growth, self._rows = LogGrowth(), RowRates(partitions, period_s)
        self._from: int | None = None
        self.rate = self.total = self.covered_s = self.passed_s = 0.0
        self.missed = self.silent = self.grown = 0

    @property
    def rows(self) -> int:
        """Rows written."""
        return self._file.rows

    def run(self, seconds: float | None, show: Callable[[], object]) -> None:
        """Record for some seconds, None for ever, or until an exception ends it."""
        epoch_s, began = time.time(), time.monotonic()
        most = math.inf if seconds is None else math.ceil(seconds / self._period_s)
        tick = 0
        while tick <= most:
            time.sleep(max(began + tick * self._period_s - time.monotonic(), 0))
            self._measure(tick, epoch_s)
            self.passed_s = time.monotonic() - began
            show()
            # Ticks that a slow answer has passed over are left out.
            tick = max(tick + 1, math.ceil(self.passed_s / self._period_s - 0.5))

    def _measure(self, tick: int, epoch_s: float) -> None:
        sizes = self._sizes.read(self._period_s)
        if not sizes:
            self.missed += 1
            self.silent += 1
            return
        self.silent = 0
        self.grown = max(self.grown, max(sizes) + 1 - self.partitions)
        row = self._rows.row(self._growth.add(sizes))
        if row is not None and self._from is not None:
            self._file.write(epoch_s + self._from * self._period_s, row)
            self.rate = sum(rate for rate in row if rate is not None)
            span_s = (tick - self._from) * self._period_s
            self.total += self.rate * span_s
            self.covered_s += span_s
        self._from = tick
