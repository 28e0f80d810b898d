"""The monitor's loop: sizes of logs become measurements, once a period."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from live.protocol.messages import Measurement
from live.records.journal import Journal
from live.speeds.log_overhead import Count, LogOverhead
from live.speeds.speed_windows import LogSize, SpeedWindows


class Sizes(Protocol):
    """Where sizes of logs come from."""

    def read(self, seconds: float) -> dict[int, LogSize]:
        """Sizes by partition; those that are known in time."""


class Records(Protocol):
    """Where the number of records comes from."""

    def read(self, seconds: float) -> Count | None:
        """Records in all logs; None if it is not known in time."""


class SpeedMonitor:
    """Measures the speeds of a topic's partitions in bytes of values per second.

    windows: Windows of sizes, empty at first.
    record_bytes: Size of a record's value; 0 if it varies: speeds are in bytes of logs then.
    """

    def __init__(
        self,
        sizes: Sizes,
        records: Records,
        windows: SpeedWindows,
        partitions: int,
        record_bytes: int,
        journal: Journal,
    ) -> None:
        self._sizes, self._records, self._windows = sizes, records, windows
        self._partitions = partitions
        self._overhead = LogOverhead(record_bytes) if record_bytes else None
        self._journal = journal
        self._sequence = 0

    @property
    def factor(self) -> float:
        """Log bytes per byte of value, as far as it is known."""
        return self._overhead.factor if self._overhead is not None else 1.0

    def run(
        self, period_s: float, stop: threading.Event, send: Callable[[Measurement], None]
    ) -> None:
        """Measure and send until ``stop`` is set; a period that is missed is left out."""
        due = time.monotonic()
        while not stop.wait(max(due - time.monotonic(), 0)):
            measurement = self.measure(period_s)
            if measurement is not None:
                send(measurement)
            late = time.monotonic() - due
            due += period_s * max(math.ceil(late / period_s), 1)

    def measure(self, seconds: float) -> Measurement | None:
        """One measurement, None without speeds. seconds: Limit of each question to brokers."""
        began = time.monotonic()
        sizes = self._sizes.read(seconds)
        if self._overhead is not None and len(sizes) == self._partitions:
            count = self._records.read(seconds)
            if count is not None:
                self._overhead.add(sizes.values(), count)
        speeds = self._windows.add(sizes)
        span = max((speed.span_s for speed in speeds.values()), default=0.0)
        rates = {partition: speed.rate / self.factor for partition, speed in speeds.items()}
        took = time.monotonic() - began
        if not rates:
            self._journal.write("waiting", logs=len(sizes), took_s=took)
            return None
        self._sequence += 1
        self._write(rates, span, took)
        return Measurement(self._sequence, span, rates)

    def _write(self, rates: Mapping[int, float], span: float, took: float) -> None:
        self._journal.write(
            "measured",
            sequence=self._sequence,
            span_s=span,
            factor=self.factor,
            took_s=took,
            speeds={partition: round(rate, 3) for partition, rate in rates.items()},
        )
