"""Scales the StatefulSet of a group's consumers to the slots that its controller uses."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

from live.kubernetes.standing_pods import StandingPods
from live.kubernetes.state_reader import StateReader
from live.kubernetes.used_slots import UsedSlots
from live.live_settings import LiveSettings
from pipeline.base.errors import InputError, StageError

LOOK_S = 5.0
"""Time between looks at the replicas, and for which slots must be empty before their pods go."""

WAIT_S = 0.5
"""Longest wait for records, seconds."""

LEAST = 1
"""Replicas of a group without consumers: its first one then need not wait for a node."""


class Scale(Protocol):
    """Replicas of a StatefulSet."""

    def replicas(self) -> int:
        """Replicas that are asked for."""

    def patch(self, replicas: int) -> int:
        """Ask for replicas; returns what is asked for then."""


class PodScaling:
    """Decides when to patch.

    say: Gets a line for each patch, and for each error that is not the last one again.

    A slot that is used needs its pod at once. Pods go only when theirs and all higher slots have
    been empty for `LOOK_S`, so that none is removed that the controller is about to use again.
    """

    def __init__(self, scale: Scale, say: Callable[[str], None]) -> None:
        self._scale, self._say = scale, say
        self._asked: int | None = None
        self._looked_s: float | None = None
        self._needs: list[tuple[float, int]] = []
        self._error = ""

    def turn(self, needed: int, now: float) -> None:
        """Look at what is needed; patch if that is due."""
        slots = self._most_needed(needed, now)
        if self._looked_s is None:
            self._looked_s = now
        must_grow = self._asked is not None and slots > self._asked
        if not must_grow and now < self._looked_s + LOOK_S:
            return
        self._looked_s = now
        try:
            self._look(slots)
        except (StageError, InputError) as error:
            self._asked = None
            if str(error) != self._error:
                self._say(str(error))
            self._error = str(error)
        else:
            self._error = ""

    def _most_needed(self, needed: int, now: float) -> int:
        """The most slots that were needed at a time in the last `LOOK_S`."""
        if not self._needs or self._needs[-1][1] != needed:
            self._needs.append((now, needed))
        before = [each for each in self._needs if each[0] <= now - LOOK_S]
        since = [each for each in self._needs if each[0] > now - LOOK_S]
        # The last need from before lasted into that time.
        self._needs = [*before[-1:], *since]
        return max(LEAST, *(need for _, need in self._needs))

    def _look(self, slots: int) -> None:
        present = self._scale.replicas()
        if self._asked not in (None, present):
            self._say(
                f"replicas were changed from {self._asked} to {present} by another; no pod "
                "autoscaler or ScaledObject may name this StatefulSet"
            )
        self._asked = present
        if slots == present:
            return
        self._asked = self._scale.patch(slots)
        self._say(f"replicas {present} -> {self._asked}: slots 0 to {slots - 1} are in use")


class ScaledPods(StandingPods):
    """A launcher that has as many standing pods as slots are in use.

    Raises StageError from `ended` if it can not follow the group any more.
    """

    def __init__(self, settings: LiveSettings, scale: Scale) -> None:
        self._settings = settings
        self._scaling = PodScaling(scale, lambda line: print(f"scale: {line}", flush=True))
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None
        self._error: Exception | None = None

    def ended(self) -> list[tuple[int, int, int]]:
        """Nothing is known of consumers; the first call begins to scale."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="scale", daemon=True)
            self._thread.start()
        if self._error is not None:
            raise StageError(f"the replicas are not scaled any more: {self._error}")
        return []

    def stop(self, grace: float) -> None:
        """End scaling; the replicas stay."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join(grace)

    def _run(self) -> None:
        try:
            self._follow()
        except Exception as error:  # Shown by the next call of `ended`.
            self._error = error

    def _follow(self) -> None:
        reader, slots = StateReader(self._settings), UsedSlots()
        while not self._is_over.is_set():
            slots.take(reader.read(WAIT_S))
            if reader.is_caught_up:
                self._scaling.turn(slots.needed, time.monotonic())
        reader.close()
