"""Percentiles of delays, without keeping the delays."""

from __future__ import annotations

BITS = 6
"""Bits of a delay, below its highest, that are kept: a value is exact to 1/64, or 1.6 %."""


class Lateness:
    """Counts delays in bins that widen with the delay; ``max_ns`` is exact, 0 without any."""

    def __init__(self) -> None:
        self._bins: dict[int, int] = {}
        self.count = 0
        self.max_ns = 0

    def add(self, delay_ns: int) -> None:
        """Count a delay, nanoseconds; a negative one counts as 0."""
        delay_ns = max(delay_ns, 0)
        bin_ = _bin(delay_ns)
        self._bins[bin_] = self._bins.get(bin_, 0) + 1
        self.count += 1
        self.max_ns = max(self.max_ns, delay_ns)

    def percentile_ns(self, percent: float) -> int:
        """Least delay that this share of all delays does not exceed; 0 without any.

        percent: Between 0 and 100.
        Returns: Upper end of the bin that holds it, at most `max_ns`: up to 1.6 % too long.
        """
        rank, below = percent / 100 * self.count, 0
        for bin_ in sorted(self._bins):
            below += self._bins[bin_]
            if below >= rank:
                return min(_upper_end(bin_), self.max_ns)
        return self.max_ns


def _bin(delay: int) -> int:
    shift = max(delay.bit_length() - BITS - 1, 0)
    return (shift << (BITS + 1)) + (delay >> shift)


def _upper_end(bin_: int) -> int:
    shift, top = bin_ >> (BITS + 1), bin_ & ((1 << (BITS + 1)) - 1)
    return ((top + 1) << shift) - 1
