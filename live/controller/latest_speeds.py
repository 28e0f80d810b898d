"""The speeds that the monitor has measured last."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from live.live_settings import LiveSettings
from live.protocol.messages import Measurement, Received, kind_of
from live.records.journal import Journal
from live.records.run_clock import RunClock

STALE_PERIODS = 3
"""Age of a measurement, in periods of the monitor, from which on nothing is decided on it."""

START_S = 10.0
"""Time for a monitor to start and to have its first window, seconds."""


class Arriving(Protocol):
    """Where messages come from."""

    def arrived(self, wait_s: float) -> Iterable[Received]:
        """Messages that have arrived."""

    def reject(self, why: str) -> None:
        """Reject one that makes no sense here."""


class LatestSpeeds:
    """Speeds of all partitions; those without a measurement, as all have at first, count as idle.

    journal: Where it says that measurements are too old.
    rates: Bytes/s by partition.
    measured_ns: When they were measured, by the run's clock; 0 if they never were.
    """

    def __init__(self, measurements: Arriving, settings: LiveSettings, journal: Journal) -> None:
        self._measurements, self._journal = measurements, journal
        self._most_age_s = STALE_PERIODS * settings.period_s
        self.rates = [0.0] * settings.partitions
        self.measured_ns = 0
        # A monitor that never says anything is noticed too.
        self._due_ns = RunClock(settings.clock_offset_ns).now() + round(START_S * 1e9)
        self._is_stale = False

    def take(self) -> bool:
        """Take what has arrived; whether there was a measurement."""
        is_new = False
        for received in self._measurements.arrived(0.0):
            message = received.message
            if not isinstance(message, Measurement):
                self._measurements.reject(f"{kind_of(message)}: not a measurement")
            elif max(message.speeds, default=0) >= len(self.rates):
                self._measurements.reject(
                    f"measurement {message.sequence}: `speeds` must be of {len(self.rates)} "
                    f"partitions (got partition {max(message.speeds)})"
                )
            else:
                for partition, speed in message.speeds.items():
                    self.rates[partition] = speed
                self.measured_ns, is_new = received.at_ns, True
        return is_new

    def is_too_old(self, now_ns: int) -> bool:
        """Whether nothing should be decided on them any more; the journal says when that begins."""
        was_stale = self._is_stale
        age_s = (now_ns - (self.measured_ns or self._due_ns)) / 1e9
        self._is_stale = age_s > self._most_age_s
        if self._is_stale and not was_stale:
            self._journal.write("fault", kind="stale", message=f"no measurement for {age_s:.1f} s")
        return self._is_stale
