"""The axis of service: events within the SLA, in %, with more room the closer they get to 100."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from pipeline.reporting.drawing.axes import Scale
from pipeline.reporting.sections import numbers

_FEW = 3
"""Decades that leave room for ticks between the powers of ten."""


class ServiceScale(NamedTuple):
    """Maps events within the SLA to pixels, by the logarithm of the late ones."""

    late: Scale
    """Scale of late events, in %."""
    complete: bool
    """Whether the upper end stands for 100 %."""

    @classmethod
    def of(cls, served: Iterable[float], bottom: float, top: float) -> ServiceScale:
        """A scale from 0 % to the best of the values, each in %."""
        late = [100.0 - value for value in served if math.isfinite(value)]
        positive = [value for value in late if value > _NONE]
        least = min(positive, default=1.0)
        complete = len(positive) < len(late)
        low = 10.0 ** math.floor(math.log10(least / 2 if complete else least))
        return cls(Scale(min(low, 10.0), 100.0, top, bottom, log=True), complete)

    def __call__(self, served: float) -> float:
        """Pixel of a share of events, in %."""
        return self.late(100.0 - served)

    def ticks(self) -> list[tuple[float, str]]:
        """Round values of late events, each with the events within the SLA in words."""
        first, last = round(math.log10(self.late.low)), 2
        factors = (1, 2, 5) if last - first <= _FEW else (1,)
        values = [m * 10.0**k for k in range(first, last + 1) for m in factors]
        return [(value, self._words(value)) for value in values if value <= 100.0]

    def _words(self, late: float) -> str:
        if self.complete and late == self.late.low:
            return "100"
        return f"{100.0 - late:.10g}"


_NONE = 1e-9
"""Late events, in %, that are rounding."""


def served(value: float) -> str:
    """Events within the SLA in words, with as many decimals as tell them from 100 %."""
    if not math.isfinite(value):
        return numbers.MISSING
    late = 100.0 - value
    if late <= _NONE:
        return f"100{numbers.SPACE}%"
    decimals = 1 if late >= 10.0 else min(max(1 - math.floor(math.log10(late) + _NONE), 2), 6)
    return f"{value:.{decimals}f}{numbers.SPACE}%"
