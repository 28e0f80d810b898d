"""One group: looks at it each period, decides once a look, and knows what to answer meanwhile."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from algorithms.core.input_errors import AlgorithmError
from live.scaler import count_decisions
from live.scaler.count_decisions import CountDecisions, Decided
from live.scaler.group_look import Look, NoLook
from live.scaler.recent_counts import HOUR_S, RecentCounts
from live.scaler.scaler_answers import Answer, Answers
from live.scaler.scaler_settings import Clock, ScalerTarget
from live.scaler.step_rates import StepRates
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
        self._rates = StepRates(self._clock.look_s)
        self._decisions: CountDecisions | None = None
        self._sizes: tuple[int, ...] = ()
        self._each = self.target.members_per_replica

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
                self._follow(look)
        except (NoLook, AlgorithmError, InputError, ValueError, ArithmeticError) as error:
            with self._lock:
                self.tally.failed_looks += 1
                self.tally.total_unseen_s += self._now_s() - self._looked_s
                self._answers.failed(str(error))
        self._looked_s = self._now_s()
        self._say()

    def _follow(self, look: Look) -> None:
        self.tally.members = len(look.members)
        each = self._each = self._each or _members_per_replica(look)
        self._answers.found(-(-len(look.members) // each))
        step = self._rates.add(look)
        if self._decisions is None or self._sizes != look.sizes:
            self._start(look.sizes, -(-len(look.members) // each), each)
        if step is None or self._decisions is None:
            # What is answered stays, also if that is the greatest count of an hour.
            return
        decided = self._decisions.step(step)
        if decided is None:
            self._answers.seen(self._now_s())
            return
        self.tally.decision_count += 1
        self.tally.decided = decided
        said = (
            f"{self._candidate.label} decides on {decided.replicas} at {decided.rate:,.6g} "
            f"events/s and a lag of {decided.lag:,.0f} records"
        )
        self._answers.decided(decided.replicas, said, self._now_s())

    def _start(self, sizes: tuple[int, ...], replicas: int, each: int) -> None:
        if self._decisions is not None:
            self._answers.began_again("a topic's partitions changed")
        last = self._answers.recent.last
        settings = count_decisions.settings_of(
            self.target,
            self._candidate,
            self._clock.look_s,
            sizes,
            replicas if last is None else last,
            each,
        )
        self._decisions = CountDecisions(self._candidate, settings, sizes, each)
        self._sizes = sizes

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


def _members_per_replica(look: Look) -> int:
    sizes = set(Counter(member.host for member in look.members).values())
    if len(sizes) != 1:
        hosts = f"{min(sizes)} to {max(sizes)} members a host" if sizes else "no members"
        raise InputError(
            f"`members_per_replica` must be stated where it cannot be seen (the group has {hosts})"
        )
    return sizes.pop()
