"""Rates of a stream, in whole units.

Integrals are integers, in units of 10⁻¹⁵ bytes: rates count in millionths of a byte per second,
times in nanoseconds. So no error builds up over iterations, and rates with up to six decimals are
exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

RATE_UNITS = 10**6
"""Units of a rate in a byte per second."""

UNITS = RATE_UNITS * 10**9
"""Units of an integral in a byte."""


class StreamRates:
    """Rates by iteration and partition, checked.

    rates: Rate of each partition in each iteration, bytes/s: ``rates[iteration][partition]``.
    iteration_s: Length T of an iteration, seconds; a multiple of a nanosecond.
    record_bytes: Size of a record's value, bytes.
    span_ns, end_ns: Length of an iteration, and of the stream.
    size: That of a record, in units of an integral.
    Raises ValueError if a rate is negative or not finite, a length or size is not positive, or
        iterations differ in their numbers of partitions.
    """

    def __init__(
        self, rates: Sequence[Sequence[float]], iteration_s: float, record_bytes: int
    ) -> None:
        self.span_ns = _nanoseconds(iteration_s)
        if record_bytes < 1:
            raise ValueError(f"record_bytes must be at least 1 (got {record_bytes})")
        self.size = record_bytes * UNITS
        _check(rates)
        self._rates = rates
        self.iterations = len(rates)
        self.partitions = len(rates[0]) if rates else 0
        self.end_ns = self.iterations * self.span_ns

    def units(self, iteration: int) -> list[int]:
        """Rates of an iteration's partitions, in units of a rate."""
        return [round(rate * RATE_UNITS) for rate in self._rates[iteration]]


def _nanoseconds(seconds: float) -> int:
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError(f"iteration_s must be finite and positive (got {seconds})")
    return max(1, round(seconds * 10**9))


def _check(rates: Sequence[Sequence[float]]) -> None:
    for iteration, row in enumerate(rates):
        if len(row) != len(rates[0]):
            counts = f"{len(rates[0])} in iteration 0, {len(row)} in iteration {iteration}"
            raise ValueError(f"iterations must have the same partitions (got {counts})")
        for rate in row:
            if not (math.isfinite(rate) and rate >= 0):
                raise ValueError(f"rates must be finite and at least 0 (got {rate})")
