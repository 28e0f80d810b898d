"""A plainly simulated group to which things happen, as `docs/bad-hour.md` describes them.

Written from the description, not from the kernels: sets and lists, exact fractions, one instant
after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from tests.algorithms.simulation.plain_group import Group
from tests.algorithms.simulation.plain_settings import (
    FINISHING,
    JOINED,
    NONE,
    ONE,
    SETTLED,
    STARTING,
    Answer,
    Decide,
    Exact,
    Setup,
    Sight,
)

HELD = "held"
STAIRS = 10


@dataclass(eq=False)
class Happening:
    """Something that happens to a group."""

    kind: str
    at: Exact
    until: Exact | None = None
    rate: Exact = NONE
    surge: int | str = 0
    unavailable: int | str = 0
    pause: Exact = NONE
    share: Exact = ONE
    notice: Exact | None = None
    reads: str = ""


@dataclass
class Rolling:
    """A restart that is under way."""

    surge: int | str
    unavailable: int | str
    pause: Exact
    next: Exact
    share: Exact = ONE
    ends: Exact | None = None
    at_once: bool = False
    size: int | None = None
    state: str = "waits"


class HitGroup(Group):
    """A group with incidents, and slow new members if `rise` is above 0."""

    def __init__(
        self,
        rates: Sequence[Sequence[Exact]],
        setup: Setup,
        decide: Decide,
        happenings: Sequence[Happening],
        rise: Exact = NONE,
        first: Exact = ONE,
    ) -> None:
        super().__init__(rates, setup, decide)
        self.happenings, self.rise, self.first = happenings, rise, first
        self.begun_ones: list[Happening] = []
        self.dead: dict[int, Exact] = {}
        self.away: set[int] = set()
        self.old: set[int] = set()
        self.rolling: Rolling | None = None
        self.joined_at: dict[int, Exact] = {}
        self.later: dict[int, Exact] = {}
        self.is_missed = False
        self.over: dict[int, Exact] = {}
        self.read: Sight | None = None

    # What happens.

    def strike(self) -> None:
        hits = [h for h in self.happenings if h.at == self.t and h not in self.begun_ones]
        for hit in hits:
            self.begun_ones.append(hit)
            if hit.kind == "crash":
                self.crash()
            elif hit.kind == "restart":
                assert self.rolling is None
                self.rolling = Rolling(hit.surge, hit.unavailable, hit.pause, self.t)
            elif hit.kind == "spot":
                self.notify(hit)
        ends = [h for h in self.happenings if h.until == self.t]
        if (hits or ends) and self.phase in (SETTLED, HELD):
            self.hold()

    def fire_events(self) -> None:
        self.strike()
        while self.due == self.t:
            self.due = None
            if self.phase == HELD:
                self.react()
            elif self.phase == STARTING:
                self.join()
            elif self.phase == JOINED:
                self.finish_batches()
            elif self.phase == FINISHING:
                self.stop()
            else:
                if self.second == self.t:
                    self.begin_second_round()
                self.settle()
            if self.phase == SETTLED:
                self.hold()
            if self.phase == SETTLED and self.waiting is not None:
                self.begin()

    def crash(self) -> None:
        """The running member with the highest rate is gone, and what it has not committed."""
        step = floor(self.t / self.setup.step_s)

        def rate(member: int) -> Exact:
            return sum((self.rates[step][p] for p in self.owned(member)), NONE)

        running = [m for m in self.members if m not in self.dead and m not in self.away]
        if not running:
            return
        gone = max(running, key=lambda m: (rate(m), -m))
        for p in self.owned(gone):
            if self.setup.commit_s:
                self.again[p] = self.out.departures[p].level - self.committed[p]
                self.out.reprocessed += self.again[p]
        self.dead[gone] = self.t + self.setup.session_s

    def notify(self, hit: Happening) -> None:
        """Some replicas will end; others start now if they have started by then."""
        assert self.rolling is None
        assert hit.notice is not None
        s = self.setup
        ends = self.t + hit.notice
        self.rolling = Rolling(0, 0, NONE, self.t, hit.share, ends)
        longest = max([high for _, high, _ in s.startups], default=s.startup_s)
        if self.is_static() or longest > hit.notice:
            self.rolling.at_once, self.rolling.next = True, ends

    def is_static(self) -> bool:
        s = self.setup
        return s.static_members and not s.leave_on_close and s.session_s > 0

    def make_decision(self, k: int) -> None:
        """What is read replaces what is true; nothing is asked where nothing is read."""
        reads = [h.reads for h in self.happenings if h.kind == "blind" and self.is_on(h)]
        true_decide, before = self.decide, (list(self.consumed), list(self.committed_before))
        how = reads[0] if reads else ""
        if how == "stale" and self.read is None:
            how = "missing"

        def decide(sight: Sight) -> Answer:
            if how == "missing":
                return None
            self.read = misread(sight, how, self.read, self.without_last(k))
            return true_decide(self.read)

        self.decide = decide
        super().make_decision(k)
        self.decide = true_decide
        if how in ("missing", "stale", "zero"):
            self.consumed, self.committed_before = before

    def is_on(self, h: Happening) -> bool:
        return h.until is not None and h.at <= self.t < h.until

    def without_last(self, k: int) -> list[float]:
        """Events of each step of the window in all partitions but the last."""
        s = self.setup
        window = [k] if s.observe == "now" else range(k - int(s.decision_s / s.step_s), k)
        return [float(sum(self.rates[i][:-1]) * s.step_s) for i in window]

    def owned(self, member: int) -> list[int]:
        return [p for p in range(self.p) if self.owners[p] == member]

    # What the group does about it.

    def hold(self) -> None:
        """Answers wait for members that will be missed, and for a restart."""
        self.is_missed = False
        self.dead = {m: at for m, at in self.dead.items() if m in self.members}
        self.away &= set(self.members)
        times = list(self.dead.values())
        if self.rolling is not None:
            if self.rolling.state == "moves":
                self.rolling.state, self.rolling.next = "waits", self.t + self.rolling.pause
                if self.rolling.ends is not None:
                    self.rolling.next = max(self.rolling.ends, self.rolling.next)
            if self.rolling.state == "waits" and self.t >= self.end:
                self.rolling = None
            elif self.rolling.state == "returns" or not times:
                times.append(self.rolling.next)
        self.phase = HELD if times else SETTLED
        self.due = max(min(times), self.t) if times else None
        stands = any(
            h.kind == "outage" and h.at <= self.t < (h.until or h.at) for h in self.happenings
        )
        for i, h in enumerate(self.happenings):
            if not times and not stands and h.at <= self.t and ended(h) <= self.t:
                self.over.setdefault(i, self.t)

    def react(self) -> None:
        missed = [m for m, at in self.dead.items() if at <= self.t]
        if missed:
            self.is_missed = True
            self.replace(missed, len(missed))
        elif self.rolling is None or self.rolling.next > self.t:
            self.hold()
        elif self.rolling.state == "returns":
            self.come_back()
        else:
            self.roll(self.rolling)

    def replace(self, gone: list[int], starts: int) -> None:
        """Members leave at once, and new ones join as they are ready once all is consumed."""
        self.note(len(self.members) - len(gone) + starts)
        new = self.free_ids(starts)
        self.later = {m: self.t + self.startup(m) for m in new}
        self.paid += len(new)
        if not gone:
            self.coming, self.later = self.later, {}
            self.leaving, self.plan, self.phase = [], ([], None), STARTING
            self.due = min(self.coming.values())
            return
        self.leaving, self.plan, self.coming = gone, ([], None), {}
        self.join()
        self.leaving, self.coming, self.later = [], self.later, {}
        self.paid = len(self.members) + len(self.coming)

    def note(self, after: int) -> None:
        self.out.actions.append(
            {
                "time": self.t,
                "before": len(self.members),
                "after": after,
                "moved": 0,
                "settled": None,
            }
        )

    def roll(self, rolling: Rolling) -> None:
        """A step of a restart: as a Deployment's, between its least and most replicas."""
        s, n = self.setup, len(self.members)
        if rolling.size is None:
            rolling.size = n
            self.old = set(sorted(self.members)[: ceil(rolling.share * n)])
        self.old &= set(self.members)
        size = rolling.size
        surge = resolved(rolling.surge, size, up=True)
        unavailable = resolved(rolling.unavailable, size, up=False)
        is_static = self.is_static()
        if rolling.ends is not None:
            surge, unavailable = ceil(rolling.share * size), 0
            if rolling.at_once:
                surge, unavailable = 0, surge
        elif surge == 0 or is_static:
            surge, unavailable = 0, max(unavailable, 1)
        leaving = min(len(self.old), max(n - (size - unavailable), 0))
        gone = sorted(self.old)[:leaving]
        if is_static and gone:
            longest = max(self.startup(m) for m in gone)
            if longest <= s.session_s:
                self.go_away(gone, longest)
                return
        starts = max(min(size - (n - len(self.old)), size + surge - (n - leaving)), 0)
        if not gone and not starts:
            self.rolling = None
            self.hold()
            return
        rolling.state = "moves"
        self.old -= set(gone)
        self.replace(gone, starts)

    def go_away(self, gone: list[int], longest: Exact) -> None:
        assert self.rolling is not None
        self.note(len(self.members))
        for m in gone:
            for p in self.owned(m):
                self.commit(p)
        self.old -= set(gone)
        self.away |= set(gone)
        self.rolling.state, self.rolling.next = "returns", self.t + longest
        self.due = self.rolling.next

    def come_back(self) -> None:
        assert self.rolling is not None
        for m in self.away:
            self.joined_at[m] = self.t
            self.due_commits[m] = self.t + self.setup.commit_s
        self.away = set()
        self.rolling.state = "moves"
        self.settle()

    # What members do meanwhile.

    def join(self) -> None:
        before = set(self.members)
        super().join()
        assert self.due is not None
        s = self.setup
        if self.is_missed and self.leaving and s.static_members and not s.leave_on_close:
            self.due -= s.session_s
        for m in set(self.members) - before:
            self.joined_at[m] = self.t

    def leave(self, p: int) -> None:
        if self.owners[p] not in self.dead:
            super().leave(p)

    def commit(self, p: int) -> None:
        if self.owners[p] not in self.dead and self.owners[p] not in self.away:
            super().commit(p)

    def serving(self, until_now: bool = False) -> dict[int, list[int]]:
        """None in an outage; the instant at which one ends belongs to it."""
        for h in self.happenings:
            if h.kind == "outage" and h.until is not None and h.at < h.until:
                last = h.at < self.t <= h.until
                if last if until_now else h.at <= self.t < h.until:
                    return {}
        held = super().serving(until_now)
        return {m: ps for m, ps in held.items() if m not in self.dead and m not in self.away}

    def member_rate(self, k: int, member: int) -> Exact:
        s = self.setup
        rate = s.mu * (s.speed(k, member) if s.speed else ONE)
        age = self.t - self.joined_at[member] if member in self.joined_at else self.rise
        if age < self.rise:
            risen = (floor(age / (self.rise / STAIRS)) + Fraction(1, 2)) / STAIRS
            rate *= self.first + (1 - self.first) * risen
        limits = [s.shared_limit] if s.shared_limit else []
        for h in self.happenings:
            if h.kind == "limit" and h.at <= self.t and (h.until is None or self.t < h.until):
                limits.append(h.rate)
        running = len(set(self.members) - set(self.dead) - self.away)
        return min([rate, *(limit / running for limit in limits)])

    def serve(self, k: int, until: Exact) -> None:
        times = [time for h in self.happenings for time in (h.at, h.until) if time is not None]
        for member in self.members:
            if member in self.joined_at and self.rise:
                times += [
                    self.joined_at[member] + i * self.rise / STAIRS for i in range(STAIRS + 1)
                ]
        super().serve(k, min([until, *(time for time in times if time > self.t)]))


def misread(sight: Sight, how: str, before: Sight | None, without_last: list[float]) -> Sight:
    """What is read of a group."""
    if how == "stale":
        assert before is not None
        lags, rates, counts = before.lags, before.rates, before.counts
        arrived = before.arrived
    elif how == "zero":
        arrived = [0.0] * len(sight.arrived) if before is None else before.arrived
        lags, rates, counts = ([0.0] * len(of) for of in (sight.lags, sight.rates, sight.counts))
    elif how == "partition":
        consumed = [*sight.consumed[:-1], True]
        lags, rates = [*sight.lags[:-1], 0.0], [*sight.rates[:-1], 0.0]
        return replace(sight, lags=lags, rates=rates, counts=without_last, consumed=consumed)
    else:
        return sight
    consumed = [False] * len(sight.consumed)
    return replace(sight, lags=lags, rates=rates, counts=counts, consumed=consumed, arrived=arrived)


def ended(h: Happening) -> Exact:
    """When something that happens is over of itself."""
    return h.at if h.until is None else h.until


def resolved(limit: int | str, size: int, *, up: bool) -> int:
    """Replicas by a number, or by a share of them."""
    if isinstance(limit, int):
        return limit
    exact = Fraction(int(limit.rstrip("%")), 100) * size
    return ceil(exact) if up else floor(exact)
