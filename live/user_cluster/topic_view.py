"""What is known of a topic and a group that reads it, at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TopicView:
    """Rates, offsets and lags by partition; a partition without an entry is not known."""

    at_s: float
    """Time since the beginning, seconds."""
    partitions: int
    """Number of partitions."""
    rates: Mapping[int, float]
    """Bytes of logs per second."""
    event_rates: Mapping[int, float] = field(default_factory=dict)
    """Records per second."""
    ends: Mapping[int, int] = field(default_factory=dict)
    """Offsets of the next records."""
    committed: Mapping[int, int] = field(default_factory=dict)
    """Offsets of the group."""

    def lag(self, partition: int) -> int | None:
        """Records that the group has not read; None if it has no offset there."""
        end, committed = self.ends.get(partition), self.committed.get(partition)
        if end is None or committed is None:
            return None
        return max(end - committed, 0)

    def lag_s(self, partition: int) -> float | None:
        """How long ago the next record to read was written, seconds, if all came at this rate.

        None if the lag is not known, or is not 0 and has no rate.
        """
        lag, rate = self.lag(partition), self.event_rates.get(partition)
        if not lag:
            return None if lag is None else 0.0
        return lag / rate if rate else None
