"""A counting strategy behind KEDA and the pod autoscaler, in plain Python."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from algorithms.assignment import Observation
from algorithms.autoscaling import strategies
from tests.algorithms.autoscaling.plain_counting import Autoscaler


class Plain:
    """The scaler, which looks and lets the strategy decide, and the pod autoscaler's syncs."""

    def __init__(self, own: str, group: Any, look_s: float, sync_s: float, phase_s: float) -> None:
        self.strategy = strategies.get(own)
        look = math.ceil(look_s / group.decision_s) * group.decision_s
        period = math.ceil(self.strategy.decision_s / look) * look
        self.bounds = (max(group.min_replicas, 1), group.max_replicas)
        first = max(group.initial_replicas, 1)
        self.state = self.strategy.start(
            group._replace(decision_s=period, min_replicas=self.bounds[0], initial_replicas=first)
        )
        self.intervals = {"look": (look_s, 0.0), "decide": (period, 0.0), "sync": (sync_s, phase_s)}
        self.passed = {"look": 0, "decide": 0, "sync": -1}
        pods = (0.0, "Max", [("Pods", 100.0, 15.0)])
        self.autoscaler = Autoscaler(self.bounds, 1.0, (0.1, 0.1), pods, pods)
        self.rows: list[Any] = []
        self.count: int | None = None

    def due(self, what: str, time: float) -> bool:
        interval, phase = self.intervals[what]
        number = math.floor((Fraction(time) - Fraction(phase)) / Fraction(interval))
        last, self.passed[what] = self.passed[what], max(number, self.passed[what])
        return number > last

    def decide(self, time: float, rates: Any, lags: Any, owners: Any, replicas: int) -> int | None:
        self.rows.append(rates)
        if self.due("look", time):
            self.look(time, lags, owners, replicas)
        if not self.due("sync", time) or self.count is None:
            return None
        return self.autoscaler.sync(time, float(self.count), replicas)[1]

    def look(self, time: float, lags: Any, owners: Any, replicas: int) -> bool:
        """Let the strategy decide if it is due; return whether it was."""
        if not self.due("decide", time):
            return False
        present = max(replicas, self.bounds[0]) if self.count is None else self.count
        mean = sum(self.rows[1:], self.rows[0].copy()) / len(self.rows)
        seen = Observation(
            rates=np.round(mean, 6), lags=lags, owners=owners, replicas=present, time=time
        )
        answer = self.strategy.step(self.state, seen).replicas
        wanted = present if answer is None else answer
        self.count = min(max(wanted, self.bounds[0]), self.bounds[1])
        self.rows = []
        return True


class PlainToZero(Plain):
    """The same for a group that may have no replicas: all that was seen is kept, and read again."""

    def __init__(self, own: str, group: Any, timing: dict[str, float]) -> None:
        super().__init__(own, group, timing["look_s"], timing["sync_s"], timing["phase_s"])
        self.timing = timing
        self.intervals["poll"] = (timing["polling_s"], 0.0)
        self.passed["poll"] = 0
        self.was_empty = group.initial_replicas == 0
        self.end = np.zeros(group.partitions, object)
        self.looks: list[tuple[Fraction, Any, Any]] = []
        self.polls: list[tuple[Fraction, int]] = []
        self.wanted: int | None = None

    def decide(self, time: float, rates: Any, lags: Any, owners: Any, replicas: int) -> int | None:
        self.rows.append(rates)
        self.end = self.end + np.array([Fraction(rate) for rate in rates], object)
        if self.due("look", time):
            has_decided = self.look(time, lags, owners, replicas)
            self.looks.append((Fraction(time), self.end, [math.floor(lag) for lag in lags]))
            if self.is_idle():
                self.wanted = 0
            elif has_decided:
                self.wanted = self.count
            elif self.wanted == 0:
                self.wanted = 1
        is_sync, is_poll = self.due("sync", time), self.due("poll", time)
        if is_poll and self.wanted is not None:
            self.polls.append((Fraction(time), self.wanted))
            if self.wanted > 0 and replicas == 0:
                return 1
            if self.is_over() and replicas > 0:
                return 0
        if replicas == 0 or not is_sync or self.wanted is None:
            return None
        return self.autoscaler.sync(time, float(self.wanted), replicas)[1]

    def is_idle(self) -> bool:
        """Whether no look of the last `quiet_s` saw anything, and one of before neither."""
        now = self.looks[-1][0]
        busy = [time for i, (time, _, _) in enumerate(self.looks) if self.is_busy(i)]
        if busy:
            return busy[-1] < now and now - busy[-1] >= self.timing["quiet_s"]
        return self.was_empty or now - self.looks[0][0] >= self.timing["quiet_s"]

    def is_busy(self, i: int) -> bool:
        before = self.looks[i - 1][1] if i else np.zeros(len(self.end), object)
        _, end, lags = self.looks[i]
        return bool((end != before).any()) or max(lags) > self.timing["activation"]

    def is_over(self) -> bool:
        """Whether KEDA's own time since it found the group active is over."""
        now, wanted = self.polls[-1]
        active = max((time for time, count in self.polls if count > 0), default=Fraction(0))
        return wanted == 0 and now - active >= self.timing["idle_s"]
