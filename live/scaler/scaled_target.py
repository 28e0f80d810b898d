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
from live.scaler.idle_watch import Idleness, IdleWatch
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
        self._idle = IdleWatch(self.target, self.target.topics, was_idle=recent.last == 0)

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
        idleness, step = self._idle.see(look), self._rates.add(look)
        if self._decisions is None or self._sizes != look.sizes:
            self._start(look.sizes, -(-len(look.members) // each), each)
        decided = None if step is None or self._decisions is None else self._decisions.step(step)
        if decided is not None:
            self.tally.decision_count += 1
            self.tally.decided = decided
        answer = self._counted(idleness, decided)
        if answer is not None:
            self._answers.decided(*answer, self._now_s())
        elif step is not None:
            self._answers.seen(self._now_s())
        # Else what is answered stays, also if that is the greatest count of an hour.

    def _counted(self, idleness: Idleness, decided: Decided | None) -> tuple[int, str] | None:
        """The count after a look and why; None if it stays."""
        if self.target.min_replicas == 0 and idleness.is_idle:
            return 0, idleness.said
        if decided is not None:
            return decided.replicas, (
                f"{self._candidate.label} decides on {decided.replicas} at {decided.rate:,.6g} "
                f"events/s and a lag of {decided.lag:,.0f} records"
            )
        if self._answers.recent.last == 0:
            return 1, f"not idle: {idleness.said}"
        return None

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
    hosts = Counter(member.host for member in look.members).values()
    least, most = min(hosts, default=0), max(hosts, default=0)
    # Of one host alone, its members may as well be replicas: pods behind one address.
    if most > 0 and least == most and (most == 1 or len(hosts) > 1):
        return most
    seen = f"{least} to {most} members a host" if len(hosts) > 1 else f"{most} members on one host"
    raise InputError(
        "`members_per_replica` must be stated where it cannot be seen (the group has "
        f"{seen if most else 'no members'})"
    )
