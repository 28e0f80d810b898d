"""Measurements of functions between decisions, from Pulsar's counters and what instances record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from algorithms.simulation.application_measures import Window
from live.pulsar.functions_admin import FunctionFailed, FunctionsAdmin, FunctionSpec, UserSums

_NONE = UserSums(0.0, 0.0, 0.0)


class Counted(NamedTuple):
    """Messages that came to each function and that it has passed on, since the start."""

    arrived: list[int]
    completed: list[int]


class FunctionMonitor:
    """Counters of an application's functions.

    Sums that instances record begin again when an instance restarts. They are looked at more often
    than decisions are made, so that a restart loses little of them.
    """

    def __init__(self, admin: FunctionsAdmin, specs: Sequence[FunctionSpec]) -> None:
        self._admin, self._specs = admin, specs
        self._latest: list[list[dict[str, UserSums]]] = [[] for _ in specs]
        self._sums = self._empty()
        self._before = Counted([0] * len(specs), [0] * len(specs))

    def look(self) -> None:
        """Add what instances have recorded since the last look.

        While instances change, Pulsar answers without sums for some of them, which read as 0. What
        was known of these stays: else all that they have ever recorded would count again.
        """
        for latest, total, spec in zip(self._latest, self._sums, self._specs, strict=True):
            for place, instance in enumerate(self._admin.sums(spec.name)):
                if place == len(latest):
                    latest.append({})
                known = {name: now for name, now in instance.items() if now.number > 0}
                for name, now in known.items():
                    total[name] += _since(latest[place].get(name, _NONE), now)
                latest[place].update(known)

    def state(self) -> dict[str, Any]:
        """What a monitor that takes over after the last window needs to know, as plain values."""
        return {"counted": list(self._before), "recorded": self._latest}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Take over from a monitor at the end of its last window."""
        self._before = Counted(*state["counted"])
        self._latest = [
            [{name: UserSums(*sums) for name, sums in instance.items()} for instance in instances]
            for instances in state["recorded"]
        ]

    def counted(self) -> Counted:
        """Messages so far."""
        published = self._admin.published
        return Counted(
            [published(spec.source) for spec in self._specs],
            [published(spec.output) for spec in self._specs],
        )

    def entries(self) -> Iterator[int | None]:
        """Entries that wait for each function, as Pulsar counts them; None where a request fails.

        No policy needs them, so that such a failure ends nothing.
        """
        for spec in self._specs:
            waiting = None
            with suppress(FunctionFailed):
                waiting = self._admin.waiting(spec.source)
            yield waiting

    def window(self, seconds: float, sources: frozenset[str]) -> Window:
        """Measurements since the last window, of that length; the next one begins.

        sources: Topics that the application gets its events from.
        """
        self.look()
        now = self.counted()
        arrivals, completions = (
            np.array(after, dtype=np.int64) - np.array(before, dtype=np.int64)
            for after, before in zip(now, self._before, strict=True)
        )
        services = [_moments(sums["service"]) for sums in self._sums]
        gaps = [_moments(sums["gap"]) for sums in self._sums]
        window = Window(
            seconds=seconds,
            backlog=np.array(now.arrived, dtype=np.int64) - np.array(now.completed),
            arrivals=arrivals,
            entered=np.where([spec.source in sources for spec in self._specs], arrivals, 0),
            completions=completions,
            busy=np.array([sums["service"][1] for sums in self._sums]),
            gap_mean=np.array([mean for mean, _ in gaps]),
            gap_variance=np.array([variance for _, variance in gaps]),
            service_mean=np.array([mean for mean, _ in services]),
            service_variance=np.array([variance for _, variance in services]),
        )
        self._before, self._sums = now, self._empty()
        return window

    def _empty(self) -> list[dict[str, np.ndarray]]:
        return [{name: np.zeros(3) for name in ("service", "gap")} for _ in self._specs]


def _since(before: UserSums, now: UserSums) -> np.ndarray:
    """What was recorded since; all of it if the instance has restarted."""
    earlier = before if now.number >= before.number else _NONE
    return np.subtract(now, earlier)


def _moments(sums: np.ndarray) -> tuple[float, float]:
    """Mean and variance, 0 without values."""
    count, total, squares = sums
    if count == 0:
        return 0.0, 0.0
    mean = total / count
    return float(mean), max(float(squares / count - mean * mean), 0.0)
