"""One group: looks at it each period, decides once a look, and knows what to answer meanwhile."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from algorithms.autoscaling.blind_answers import HOUR_S
from algorithms.core.input_errors import AlgorithmError
from live.scaler import count_decisions
from live.scaler.count_decisions import Decided
from live.scaler.group_look import Look, NoLook
from live.scaler.look_decisions import LookDecisions, LookResult
from live.scaler.recent_counts import RecentCounts
from live.scaler.scaler_answers import Answer, Answers
from live.scaler.scaler_settings import Clock, ScalerTarget
from pipeline.base.errors import InputError

Log = Callable[..., None]
"""Writes a line with some fields."""


@dataclass
class ScalerTally:
    """What ``/metrics`` says of a group."""

    looks: int = 0
    failed_looks: int = 0
    decision_count: int = 0
    total_unseen_s: float = 0.0
    answers: Counter[int] = field(default_factory=Counter)
    """Answers by status of HTTP, those of gRPC by the same."""
    decided: Decided | None = None
    members: int = 0


class ScaledTarget:
    """A group that is decided for; its threads are the looking one and those that ask.

    look: Takes a look, or raises `NoLook`.
    now_s: A clock that does not jump, seconds.
    """

    def __init__(
        self,
        name: str,
        target: ScalerTarget,
        clock: Clock,
        recent: RecentCounts,
        look: Callable[[], Look],
        now_s: Callable[[], float],
        log: Log,
    ) -> None:
        self.name, self.target, self._clock = name, target, clock
        self._look, self._now_s, self._log = look, now_s, log
        self._candidate = count_decisions.check(target, clock.look_s)
        self._lock = threading.Lock()
        self.tally = ScalerTally()
        self._asked_s = self._looked_s = now_s()
        self._logged: tuple[str, int | None] = ("", None)
        self._begin(recent)

    def _begin(self, recent: RecentCounts) -> None:
        self._answers = Answers(self._clock.look_s, self._clock.blind_s, recent, self._now_s())
        self._decisions = LookDecisions(
            self.target, self._candidate, self._clock.look_s, was_idle=recent.last == 0
        )

    @property
    def recent(self) -> RecentCounts:
        """Counts of the last hour."""
        with self._lock:
            return RecentCounts(self._answers.recent.rows)

    @property
    def is_asked_for(self) -> bool:
        """Whether somebody has asked within an hour; else nothing is looked at."""
        return self._now_s() - self._asked_s < HOUR_S

    def asked(self) -> Answer:
        """The answer; after an hour without questions, the group starts as unknown."""
        with self._lock:
            if not self.is_asked_for:
                self._begin(RecentCounts())
            self._asked_s = self._now_s()
            return self._answers.at(self._asked_s)

    def answer(self) -> Answer:
        """The answer that would be given, for figures and logs."""
        with self._lock:
            return self._answers.at(self._now_s())

    def look(self) -> None:
        """Take a look and decide, or note why that failed."""
        try:
            look = self._look()
            with self._lock:
                self.tally.looks += 1
                self.tally.members = len(look.members)
                decisions, last = self._decisions, self._answers.recent.last
            # Without the lock: no answer waits for a decision.
            result = decisions.follow(look, last)
            with self._lock:
                if decisions is self._decisions:  # Else the group has started as unknown.
                    self._publish(result)
        except (NoLook, AlgorithmError, InputError, ValueError, ArithmeticError) as error:
            with self._lock:
                self.tally.failed_looks += 1
                self.tally.total_unseen_s += self._now_s() - self._looked_s
                self._answers.failed(str(error))
        self._looked_s = self._now_s()
        self._say()

    def _publish(self, result: LookResult) -> None:
        """Answer with what a look came to."""
        self._answers.found(result.replicas)
        if result.has_begun_again:
            self._answers.began_again("a topic's partitions changed")
        if result.decided is not None:
            self.tally.decision_count += 1
            self.tally.decided = result.decided
        if result.count is not None:
            self._answers.decided(*result.count, self._now_s())
        elif result.has_rates:
            self._answers.seen(self._now_s())
        # Else what is answered stays, also if that is the greatest count of an hour.

    def _say(self) -> None:
        """Log a changed state or count."""
        answer = self.answer()
        state = (answer.state, answer.replicas)
        if state == self._logged:
            return
        before, self._logged = self._logged[1], state
        self._log(
            "decision",
            group=self.name,
            state=answer.state,
            replicas=answer.replicas,
            before=before,
            reason=answer.reason,
        )
