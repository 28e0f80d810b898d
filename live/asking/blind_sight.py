"""What a strategy reads of its group: what holds, or something else while the group is blind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.simulation.incident_kinds import READINGS, Blind
from algorithms.simulation.incident_times import Incident
from live.controller.scaled_decisions import StepRates
from live.controller.scaled_strategy import Lags

MISSING, STALE, ZERO, PARTITION = READINGS

_SEEING = ""


class Span(NamedTuple):
    """A time in which the group is blind, seconds since the run began."""

    first_s: float
    last_s: float
    reads: str


def spans(incidents: Sequence[Incident]) -> tuple[Span, ...]:
    """Times in which a group is blind."""
    return tuple(
        Span(each.at_s, each.ends_s, each.parameters.reads)
        for each in incidents
        if isinstance(each.parameters, Blind)
    )


class BlindSight:
    """Rates and lags as a strategy reads them; by the rules of the simulated group.

    While nothing can be read, no decision is made. What is stale is what the last decision read
    before; if there was none, nothing can be read.
    """

    def __init__(self, times: Sequence[Span], rates: StepRates, lags: Callable[[], Lags]) -> None:
        self._times, self._rates, self._true_lags = times, rates, lags
        self._began_ns = 0
        self._reads = _SEEING
        self._is_decision = False
        self._last_rates: Floats | None = None
        self._last_lags: Lags | None = None

    def begin(self, began_ns: int) -> None:
        """Say when the run begins."""
        self._began_ns = began_ns

    def are_known(self, now_ns: int) -> bool:
        """Whether something can be decided on now; what is read next is for that decision."""
        time_s = (now_ns - self._began_ns) / 1e9
        own = (one.reads for one in self._times if one.first_s <= time_s < one.last_s)
        self._reads = next(own, _SEEING) if self._began_ns else _SEEING
        if self._reads == MISSING or (self._reads == STALE and self._last_rates is None):
            return False
        self._is_decision = self._rates.are_known(now_ns)
        return self._is_decision

    def of_steps(self, first: int, last: int) -> Floats:
        """Bytes/s of some steps by partition."""
        rates = self._rates.of_steps(first, last)
        if not self._is_decision:  # The journal has what holds.
            return rates
        self._is_decision = False
        if self._reads == STALE and self._last_rates is not None:
            return self._last_rates
        if self._reads == ZERO:
            rates = np.zeros_like(rates)
        elif self._reads == PARTITION:
            rates = rates.copy()
            rates[:, -1] = 0.0
        self._last_rates = rates
        return rates

    def lags(self) -> Lags:
        """Lags, and which partitions seem to be consumed: none of a group that is not seen."""
        true = self._true_lags()
        if self._reads == _SEEING:
            self._last_lags = true
            return true
        if self._reads == PARTITION:
            records, consumed = true.records.copy(), true.consumed.copy()
            records[-1], consumed[-1] = 0.0, True
            self._last_lags = Lags(records, consumed)
            return self._last_lags
        nothing = np.zeros(true.records.size)
        last = self._last_lags
        records = nothing if self._reads == ZERO or last is None else last.records
        return Lags(records, np.zeros(records.size, np.bool_))
