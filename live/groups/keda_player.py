"""Plays KEDA and the pod autoscaler: what stands between a scaler's answer and the members."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.autoscaling.blind_answers import FAILURE_THRESHOLD
from algorithms.autoscaling.hpa import HorizontalPodAutoscaler

HELD, FALLBACK, ANSWERED = "held", "fallback", "answered"
"""What a sync was made on: nothing, the fallback's count, or the scaler's answer."""


class Synced(NamedTuple):
    """A sync of the pod autoscaler."""

    members: int
    why: str


class KedaPlayer:
    """Counts failures as KEDA does, and asks the pod autoscaler.

    Without an answer the group stays. With failure number `FAILURE_THRESHOLD` + 1 in a row, KEDA
    reports its fallback's count or the present one, whichever is greater
    (``currentReplicasIfHigher``), until the scaler answers again.

    fallback: The fallback's count.
    """

    def __init__(self, autoscaler: HorizontalPodAutoscaler, fallback: int) -> None:
        self._autoscaler, self._fallback = autoscaler, fallback
        self._failures = 0

    def poll(self, answer: int | None) -> None:
        """KEDA asks for itself, every `POLLING_S` of the strategies' clock.

        answer: None without one.
        """
        self._failures = self._failures + 1 if answer is None else 0

    def sync(self, time_s: float, answer: int | None, members: int) -> Synced:
        """The pod autoscaler asks.

        time_s: Seconds by the strategies' clock, not before the last sync.
        members: Present number.
        """
        self.poll(answer)
        if answer is not None:
            return self._follow(time_s, answer, members, ANSWERED)
        if self._failures > FAILURE_THRESHOLD:
            return self._follow(time_s, max(self._fallback, members), members, FALLBACK)
        return Synced(members, HELD)

    def _follow(self, time_s: float, metric: int, members: int, why: str) -> Synced:
        _, desired = self._autoscaler.sync(time_s, metric, members)
        return Synced(desired, why)
