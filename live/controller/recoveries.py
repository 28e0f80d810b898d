"""How often in a row a controller recovers from errors before it fails."""

from __future__ import annotations

MOST_RECOVERIES = 5
"""Recoveries in a row."""

FIRST_PAUSE_S, GROWTH = 0.2, 3.0
"""Pause before the first recovery of a row, seconds, and factor from each to the next one.

A client whose only broker is away may fail at once, so five recoveries without pauses would be over
before the broker is back.
"""


class Recoveries:
    """Counts recoveries in a row.

    A row is over when the controller has worked for a time, from when all partitions were first
    where they are wanted.

    quiet_s: That time, seconds: long enough for whatever has failed to be tried again.
    """

    def __init__(self, quiet_s: float) -> None:
        self._quiet_s = quiet_s
        self._count = 0
        self._settled_s: float | None = None

    def worked(self, is_settled: bool, now_s: float) -> None:
        """Take note of a turn without an error.

        is_settled: Whether all partitions are where they are wanted.
        """
        if self._settled_s is None and is_settled:
            self._settled_s = now_s
        if self._settled_s is not None and now_s - self._settled_s >= self._quiet_s:
            self._count = 0

    def failed(self) -> float | None:
        """Pause before the recovery from an error, seconds; None if there were too many."""
        self._settled_s = None
        self._count += 1
        if self._count > MOST_RECOVERIES:
            return None
        return FIRST_PAUSE_S * GROWTH ** (self._count - 1)
