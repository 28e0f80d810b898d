"""What the controller wants: one step of the strategy at each time that calls for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from live.controller.live_strategy import LiveStrategy, rscore
from live.live_settings import LiveSettings

NOBODY = -1


@dataclass(frozen=True, slots=True)
class Wanted:
    """Owners that the strategy wants."""

    owners: tuple[int, ...]
    """Consumer by partition, -1 for none."""
    rates: tuple[float, ...]
    """What it has decided on, bytes/s."""
    reason: str
    """``iteration``, ``lost`` or ``end``."""
    iteration: int
    """Of the stream, from 0."""
    measured_ns: int
    """When the rates were known, by the run's clock."""


class Decisions(Protocol):
    """When the strategy decides, and on which rates."""

    def resume(self, iteration: int, owners: tuple[int, ...], now_ns: int) -> Wanted | None:
        """Go on after an earlier controller; returns what that one has wanted last.

        iteration: The last one with a plan; -1 if there is none.
        """

    def due(self, now_ns: int, began_ns: int, settled: Sequence[int] | None) -> Wanted | None:
        """Owners wanted from now on; None if they stay.

        began_ns: When the run began; 0 if it has not.
        settled: Present owners; None while partitions move.
        """


class GivenRates:
    """Decides at the beginning of each iteration, on the stream's own rates, bytes/s."""

    def __init__(
        self, strategy: LiveStrategy, rates: Sequence[Sequence[float]], settings: LiveSettings
    ) -> None:
        self._strategy, self._rates, self._settings = strategy, rates, settings
        self._next = self._unmade = 0

    def resume(self, iteration: int, owners: tuple[int, ...], now_ns: int) -> Wanted | None:
        """Go on after that iteration; its steps are made before the next one is needed."""
        self._next = self._unmade = iteration + 1
        if iteration < 0:
            return None
        return Wanted(owners, tuple(self._rates[iteration]), "iteration", iteration, now_ns)

    def due(self, now_ns: int, began_ns: int, settled: Sequence[int] | None) -> Wanted | None:
        """Owners wanted from now on; None if no iteration has begun since the last one.

        The first one is decided on before the run begins, so that its consumers are ready then.
        """
        k = self._next
        if k >= self._settings.iterations or (k and now_ns < self._begins(k, began_ns)):
            return None
        for made in self._rates[: self._unmade]:
            self._strategy.decide(made)
        self._next, self._unmade = k + 1, 0
        rates = tuple(self._rates[k])
        # A controller that was busy as the iteration began has decided late.
        known_ns = round(self._begins(k, began_ns)) if k else now_ns
        return Wanted(tuple(self._strategy.decide(rates)), rates, "iteration", k, known_ns)

    def _begins(self, iteration: int, began_ns: int) -> float:
        if not began_ns:
            return float("inf")
        return began_ns + iteration * self._settings.iteration_s * 1e9


def order_of_moves(
    present: Sequence[int], wanted: Wanted, capacity: float
) -> tuple[tuple[int, ...], float]:
    """Partitions that move, those of the most loaded consumers first, and the Rscore."""
    loads: dict[int, float] = {}
    for owner, rate in zip(present, wanted.rates, strict=True):
        loads[owner] = loads.get(owner, 0.0) + rate
    moving = [p for p, owner in enumerate(present) if owner != wanted.owners[p]]
    moving.sort(key=lambda p: (-loads[present[p]], p))
    return tuple(moving), rscore(wanted.rates, present, wanted.owners, capacity)


def without_lost(wanted: Wanted, orphans: Sequence[int], ready: Sequence[int]) -> Wanted:
    """The same owners, but for partitions of lost consumers, which go to others for a while.

    Each goes to the least loaded of the consumers that are ready, fastest partition first. The next
    decision of the strategy may bring them elsewhere.
    """
    owners, homeless = list(wanted.owners), set(orphans)
    loads = dict.fromkeys(sorted(ready), 0.0)
    if not loads:
        return wanted
    for p, owner in enumerate(owners):
        if p not in homeless and owner in loads:
            loads[owner] += wanted.rates[p]
    for p in sorted(homeless, key=lambda p: (-wanted.rates[p], p)):
        owners[p] = min(loads, key=lambda consumer: (loads[consumer], consumer))
        loads[owners[p]] += wanted.rates[p]
    return Wanted(tuple(owners), wanted.rates, "lost", wanted.iteration, wanted.measured_ns)
