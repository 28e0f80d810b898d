"""The run's clock: the system's time when the run began, continued by the monotonic clock.

Due times and read times are compared across processes. The monotonic clock is the same for all
processes of a machine and never jumps, so only its distance from the system clock must be shared:
`LiveSettings.clock_offset_ns`.
"""

from __future__ import annotations

import time


def offset_now() -> int:
    """Distance of the system clock from the monotonic clock, nanoseconds."""
    return time.time_ns() - time.monotonic_ns()


class RunClock:
    """Nanoseconds since the epoch, monotonic; an offset as of `offset_now`, 0 to measure it."""

    def __init__(self, offset_ns: int = 0) -> None:
        self._offset = offset_ns or offset_now()

    def now(self) -> int:
        """Time of the run's clock."""
        return time.monotonic_ns() + self._offset
