"""Decisions on the speeds that the monitor measures."""

from __future__ import annotations

from collections.abc import Sequence

from live.controller.latest_speeds import Arriving, LatestSpeeds
from live.controller.live_decisions import NOBODY, Wanted
from live.controller.live_strategy import LiveStrategy
from live.live_settings import LiveSettings
from live.records.journal import Journal


class MeasuredRates:
    """Decides when there is a reason to, at most once on each measurement.

    Reasons are that nothing was decided for `LiveSettings.decide_s`, that a consumer with several
    partitions exceeds C, or that a partition has no owner. Partitions without a measured speed, as
    all have at first, count as idle.

    journal: Where it says that measurements are too old.
    """

    def __init__(
        self,
        strategy: LiveStrategy,
        measurements: Arriving,
        settings: LiveSettings,
        journal: Journal,
    ) -> None:
        self._strategy, self._settings = strategy, settings
        self._speeds = LatestSpeeds(measurements, settings, journal)
        self._decided_ns = 0
        self._is_new = False

    def resume(self, iteration: int, owners: tuple[int, ...], now_ns: int) -> Wanted | None:
        """Go on from the owners that an earlier controller has wanted."""
        if iteration < 0:
            return None
        self._decided_ns = now_ns
        return Wanted(owners, tuple(self._speeds.rates), "time", iteration, now_ns)

    def due(self, now_ns: int, began_ns: int, settled: Sequence[int] | None) -> Wanted | None:
        """Owners wanted from now on; None if there is no reason to decide, or nothing to go by."""
        self._is_new |= self._speeds.take()
        reason = self._reason(now_ns, settled)
        if reason is None:
            return None
        self._is_new, self._decided_ns = False, now_ns
        rates = tuple(self._speeds.rates)
        iteration = self._settings.iteration_at(now_ns, began_ns)
        owners = tuple(self._strategy.decide(rates))
        return Wanted(owners, rates, reason, iteration, self._speeds.measured_ns or now_ns)

    def _reason(self, now_ns: int, settled: Sequence[int] | None) -> str | None:
        if not self._decided_ns:
            return "unowned"
        is_too_old = self._speeds.is_too_old(now_ns)
        if settled is None or not self._is_new or is_too_old:
            return None
        if NOBODY in settled:
            return "unowned"
        if self._is_overloaded(settled):
            return "overload"
        waited = (now_ns - self._decided_ns) / 1e9
        return "time" if waited >= self._settings.decide_s else None

    def _is_overloaded(self, owners: Sequence[int]) -> bool:
        loads: dict[int, list[float]] = {}
        for owner, rate in zip(owners, self._speeds.rates, strict=True):
            loads.setdefault(owner, []).append(rate)
        limit = self._settings.capacity
        return any(len(rates) > 1 and sum(rates) > limit for rates in loads.values())
