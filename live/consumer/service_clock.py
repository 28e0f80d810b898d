"""How fast a consumer may process: a virtual clock of its service."""

from __future__ import annotations

import math

SAVED_NS = 20_000_000
"""Idle time that may be caught up, nanoseconds: pauses of the loop do not lower the throughput."""


class ServiceClock:
    """A server that processes one record after another at a constant rate.

    A record of b bytes takes b / C̄ seconds. It begins when the one before is finished, but at most
    20 ms before it is there. So within any span of s seconds, at most C̄ · (s + 0.02) bytes are
    finished, and one record.

    rate: C̄, bytes/s.
    Raises ValueError if the rate is not finite and positive.
    """

    def __init__(self, rate: float) -> None:
        if not (math.isfinite(rate) and rate > 0):
            raise ValueError(f"rate must be finite and positive (got {rate})")
        self._rate = rate
        self._free_ns: int | None = None

    def service_ns(self, size: int) -> int:
        """Time that a record takes, rounded up, nanoseconds."""
        return math.ceil(size * 1e9 / self._rate)

    def finish_ns(self, size: int, now_ns: int) -> int:
        """Process a record.

        size: Bytes of the record.
        now_ns: When it is there; does not go back from call to call.
        Returns: When it is finished, at the earliest: in the past if idle time is caught up.
        """
        begin = now_ns if self._free_ns is None else max(self._free_ns, now_ns - SAVED_NS)
        self._free_ns = begin + self.service_ns(size)
        return self._free_ns
