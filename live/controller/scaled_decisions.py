"""Decisions of autoscaling strategies: at the times of their own clock, on rates and lags."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from algorithms.core.arrays import Floats
from live.controller.answered_owners import NOBODY, Answer
from live.controller.latest_speeds import LatestSpeeds
from live.controller.live_decisions import Wanted
from live.controller.scaled_strategy import Lags, ScaledStrategy
from live.live_settings import LiveSettings


class StepRates(Protocol):
    """Rates of the steps of a run."""

    def of_steps(self, first: int, last: int) -> Floats:
        """Bytes/s of the steps ``first .. last-1`` by partition, ``float64[steps, P]``."""

    def are_known(self, now_ns: int) -> bool:
        """Whether something can be decided on them now."""


class GivenSteps:
    """The rates of the stream itself, bytes/s, by iteration and partition."""

    def __init__(self, rates: Sequence[Sequence[float]], steps: int) -> None:
        self._rates, self._steps = np.array(rates, np.float64), steps

    def of_steps(self, first: int, last: int) -> Floats:
        """Bytes/s of some steps by partition."""
        iterations = np.arange(first, last) // self._steps
        rows: Floats = self._rates[np.minimum(iterations, len(self._rates) - 1)]
        return rows

    def are_known(self, now_ns: int) -> bool:
        """Always."""
        return True


class MeasuredSteps:
    """The speeds that the monitor has measured last, for all steps since the decision before."""

    def __init__(self, speeds: LatestSpeeds) -> None:
        self._speeds = speeds

    def of_steps(self, first: int, last: int) -> Floats:
        """Bytes/s of some steps by partition."""
        self._speeds.take()
        return np.tile(np.maximum(self._speeds.rates, 0.0), (last - first, 1))

    def are_known(self, now_ns: int) -> bool:
        """Whether there is a measurement that is not too old."""
        self._speeds.take()
        return not self._speeds.is_too_old(now_ns) and self._speeds.measured_ns > 0


class ScaledDecisions:
    """Has a strategy decide, and carries out its last answer when the group has settled.

    As in the simulated group, the strategy decides also while partitions move; its answer waits
    until they have, and a later one replaces it. The group begins as the assignor places it. After
    an action, decisions are left out for the group's cooldown.
    """

    def __init__(
        self,
        strategy: ScaledStrategy,
        rates: StepRates,
        lags: Callable[[], Lags],
        settings: LiveSettings,
    ) -> None:
        self._strategy, self._rates, self._lags = strategy, rates, lags
        self._settings = settings
        self._step_ns = settings.iteration_s * 1e9 / strategy.group.steps
        self._steps = settings.iterations * strategy.group.steps
        # Without a step that has passed there is nothing to see, unless the present one is seen.
        self._next = 0 if strategy.sees_present else strategy.window
        self._cooldown_s = strategy.settings.cooldown_s
        self._cool_step = 0
        self._arrived: Floats = np.zeros(settings.partitions)
        self._wanted: tuple[int, ...] = ()
        self._waiting: Answer | None = None
        self._has_resumed = False

    def resume(self, iteration: int, owners: tuple[int, ...], now_ns: int) -> Wanted | None:
        """Continue with the owners that an earlier controller wanted; restart the strategy."""
        if iteration < 0:
            return None
        self._wanted, self._has_resumed = owners, True
        self._strategy.replicas = len(set(owners) - {NOBODY})
        return Wanted(owners, self._present(self._next), "time", iteration, now_ns)

    def due(self, now_ns: int, began_ns: int, settled: Sequence[int] | None) -> Wanted | None:
        """Owners wanted from now on; None if they stay."""
        if not self._wanted:
            self._strategy.prepare()
            self._wanted = self._strategy.first_owners()
            return Wanted(self._wanted, self._present(0), "time", 0, now_ns)
        if not began_ns:
            return None
        step = int((now_ns - began_ns) // self._step_ns)
        if self._has_resumed:
            self._skip_to(step)
        due_ns = now_ns
        while self._next <= min(step, self._steps - 1):
            due_ns = round(began_ns + self._next * self._step_ns)
            self._decide(now_ns, self._wanted if settled is None else settled)
        if self._waiting is None or settled is None:
            return None
        return self._carried_out(self._waiting, settled, step, due_ns, began_ns)

    def _skip_to(self, step: int) -> None:
        """Skip decisions whose time has passed, whether or not a controller made them."""
        window = self._strategy.window
        self._next = max(-(-step // window) * window, self._next)
        self._has_resumed = False

    def _decide(self, now_ns: int, owners: Sequence[int]) -> None:
        strategy, step = self._strategy, self._next
        self._next += strategy.window
        # Before `are_known`, since a blind group then reads what does not hold.
        passed = self._rates.of_steps(max(step - strategy.window, 0), step)
        self._arrived = self._arrived + passed.sum(axis=0) * strategy.settings.step_s
        if step < self._cool_step or not self._rates.are_known(now_ns):
            return
        first, last = (step, step + 1) if strategy.sees_present else (step - strategy.window, step)
        rates = self._rates.of_steps(first, last)
        answer = strategy.decide(step, rates, owners, self._lags(), self._arrived)
        self._waiting = self._waiting if answer is None else answer

    def _carried_out(
        self, answer: Answer, settled: Sequence[int], step: int, due_ns: int, began_ns: int
    ) -> Wanted | None:
        self._waiting = None
        owners = self._strategy.owners_after(answer, settled, self._lags())
        if owners == tuple(settled):
            return None
        self._wanted = owners
        self._cool_step = step + math.ceil(self._cooldown_s / self._strategy.settings.step_s)
        iteration = self._settings.iteration_at(due_ns, began_ns)
        return Wanted(owners, self._present(step), "time", iteration, due_ns)

    def _present(self, step: int) -> tuple[float, ...]:
        rates: list[float] = self._rates.of_steps(step, step + 1)[0].tolist()
        return tuple(rates)
