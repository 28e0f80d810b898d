"""Rates of partitions from one measurement of their logs to the next.

The monitor's windows smooth; here nothing is, so that a trace has each byte once.
"""

from __future__ import annotations

from collections.abc import Mapping

from live.speeds.speed_windows import LogSize


class LogGrowth:
    """Growth of each log since its last measurement.

    A log that shrank (retention, compaction) or has another leader gives no rate once: replicas
    differ in size.
    """

    def __init__(self) -> None:
        self._last: dict[int, LogSize] = {}

    def add(self, sizes: Mapping[int, LogSize]) -> dict[int, float]:
        """Take sizes, of all partitions or some; return the rates that they give, bytes/s."""
        rates = {}
        for partition, now in sizes.items():
            last = self._last.get(partition)
            if last is not None and now.at_s <= last.at_s:
                continue
            self._last[partition] = now
            if last is not None and last.leader == now.leader and last.size <= now.size:
                rates[partition] = (now.size - last.size) / (now.at_s - last.at_s)
        return rates
