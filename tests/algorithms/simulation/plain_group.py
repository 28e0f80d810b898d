"""A consumer group simulated in exact fractions, one event after the other, as it is described.

Written from the description of the model, not from the kernels: curves of arrivals and departures
are stored point by point, and latencies are read off them at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np

from algorithms.assignment import assignors
from tests.algorithms.simulation import plain_latency
from tests.algorithms.simulation.plain_latency import Curve, Segment

Exact = Fraction
NONE, ONE = Fraction(0), Fraction(1)
Answer = tuple[int, int, list[int]] | None
Decide = Callable[["Sight"], Answer]

SETTLED, STARTING, JOINED, REBALANCING = "settled", "starting", "joined", "rebalancing"


@dataclass
class Sight:
    """What a strategy sees."""

    time: float
    step: int
    lags: list[float]
    rates: list[float]
    owners: list[int]
    replicas: int
    consumed: list[bool]
    counts: list[float]


@dataclass
class Setup:
    """Settings of a group in exact numbers."""

    decision_s: Exact
    max_replicas: int
    step_s: Exact = ONE
    arrivals: str = "uniform"
    mu: Exact = 200 * ONE
    wsla_s: Exact = ONE / 2
    initial_replicas: int = 1
    min_replicas: int = 1
    startup_s: Exact = NONE
    heartbeat_s: Exact = NONE
    rebalance_s: Exact = ONE / 20
    protocol: str = "eager"
    move_pause_s: Exact = NONE
    assignor: str = "range"
    decision_offset_s: Exact = NONE
    observe: str = "last"
    cooldown_s: Exact = NONE
    drain_limit_s: Exact = 600 * ONE
    speed: Callable[[int, int], Exact] | None = None
    """Factor of the rate of a consumer, by step and id."""


@dataclass
class Plain:
    """What a run gives."""

    replicas: list[int] = field(default_factory=list)
    replica_seconds: Exact = NONE
    up: int = 0
    down: int = 0
    reassigned: int = 0
    moved: int = 0
    peak_lag: Exact = NONE
    unconsumed: Exact = NONE
    stalled: Exact = NONE
    actions: list[dict[str, Any]] = field(default_factory=list)
    step_lags: list[Exact] = field(default_factory=list)
    step_stalled: list[Exact] = field(default_factory=list)
    step_paid: list[Exact] = field(default_factory=list)
    step_served: list[Exact] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    left: Exact = NONE
    arrivals: list[Curve] = field(default_factory=list)
    departures: list[Curve] = field(default_factory=list)


class Group:
    """A group while it is simulated."""

    def __init__(self, rates: Sequence[Sequence[Exact]], setup: Setup, decide: Decide) -> None:
        self.rates, self.setup, self.decide = rates, setup, decide
        self.n, self.p = len(rates), len(rates[0])
        self.end = self.n * setup.step_s
        self.t = NONE
        self.lags = [NONE] * self.p
        self.members = list(range(setup.initial_replicas))
        self.leaving: list[int] = []
        self.paid = len(self.members)
        self.owners = self.placed([-1] * self.p)
        self.last = list(self.owners)
        self.until = [NONE] * self.p
        self.phase = SETTLED
        self.due: Exact | None = None
        self.begun: Exact | None = None
        self.asked = setup.initial_replicas
        self.waiting: Answer = None
        self.plan: tuple[list[int], list[int] | None] = ([], None)
        self.consumed = [True] * self.p
        self.out = Plain()
        self.out.arrivals = [Curve() for _ in range(self.p)]
        self.out.departures = [Curve() for _ in range(self.p)]

    def run(self) -> Plain:
        s = self.setup
        times = {k * s.step_s + s.decision_offset_s: k for k in self.decision_steps()}
        for k in range(self.n):
            self.stalled_before, self.served_before = self.out.stalled, self.served()
            self.paid_before = self.out.replica_seconds
            self.run_step(k, times)
            self.out.replicas.append(self.paid_at_end)
            self.out.step_lags.append(sum(self.lags))
            self.out.step_stalled.append(self.out.stalled - self.stalled_before)
            self.out.step_paid.append(self.out.replica_seconds - self.paid_before)
            self.out.step_served.append(self.served() - self.served_before)
        self.out.unconsumed = sum(self.lags, NONE)
        self.drain()
        self.out.left = sum(self.lags, NONE)
        for p in range(self.p):
            self.out.segments += plain_latency.segments(
                self.out.arrivals[p], self.out.departures[p]
            )
        return self.out

    def served(self) -> Exact:
        return sum((curve.level for curve in self.out.departures), NONE)

    def decision_steps(self) -> list[int]:
        every = self.setup.decision_s / self.setup.step_s
        assert every.denominator == 1
        first = 0 if self.setup.observe == "now" else int(every)
        return list(range(first, self.n, int(every)))

    def run_step(self, k: int, times: dict[Exact, int]) -> None:
        """One step: at each instant group events, then the decision, then the burst."""
        s = self.setup
        end = (k + 1) * s.step_s
        arrived = False
        while self.t < end:
            self.fire_events()
            if self.t in times and times[self.t] == k:
                del times[self.t]
                self.make_decision(k)
                self.fire_events()
            if s.arrivals == "burst" and not arrived:
                for p in range(self.p):
                    self.lags[p] += self.rates[k][p] * s.step_s
                    self.out.arrivals[p].jump(self.t, self.rates[k][p] * s.step_s)
            arrived = True
            self.note_peak()
            upcoming = [t for t in times if t > self.t]
            self.serve(k, min([end, *upcoming]))
            self.note_peak()
        self.paid_at_end = self.paid

    def drain(self) -> None:
        limit = self.end + self.setup.drain_limit_s
        k = self.n
        while sum(self.lags) > 0 and self.t < limit:
            self.fire_events()
            self.serve(k, min((k + 1) * self.setup.step_s, limit))
            if self.t == (k + 1) * self.setup.step_s:
                k += 1

    def note_peak(self) -> None:
        self.out.peak_lag = max(self.out.peak_lag, sum(self.lags, NONE))

    # Service

    def serving(self) -> dict[int, list[int]]:
        """Partitions that each member consumes now."""
        groups: dict[int, list[int]] = {}
        for p in range(self.p):
            if self.owners[p] >= 0 and self.until[p] <= self.t:
                groups.setdefault(self.owners[p], []).append(p)
        return groups

    def serve(self, k: int, until: Exact) -> None:
        """Serve up to the next change of any rate."""
        s = self.setup
        uniform = s.arrivals == "uniform" and k < self.n
        arriving = [self.rates[k][p] if uniform else NONE for p in range(self.p)]
        rates = [NONE] * self.p
        stalled = set(range(self.p))
        for member, held in self.serving().items():
            factor = s.speed(k, member) if s.speed else ONE
            for p, rate in fair_rates(held, self.lags, arriving, s.mu * factor).items():
                rates[p] = rate
                stalled.remove(p)
        end = until
        if self.due is not None:
            end = min(end, self.due)
        for p in range(self.p):
            if self.lags[p] > 0 and rates[p] > arriving[p]:
                end = min(end, self.t + self.lags[p] / (rates[p] - arriving[p]))
        length = end - self.t
        assert length > 0
        for p in range(self.p):
            self.out.arrivals[p].run(self.t, end, arriving[p] * length)
            self.out.departures[p].run(self.t, end, rates[p] * length)
            self.lags[p] += (arriving[p] - rates[p]) * length
            assert self.lags[p] >= 0
            if rates[p] > 0:
                self.consumed[p] = True
        if k < self.n:
            self.out.replica_seconds += self.paid * length
            self.out.stalled += len(stalled) * length
        self.t = end

    # Decisions

    def make_decision(self, k: int) -> None:
        s = self.setup
        if self.begun is not None and self.t - self.begun < s.cooldown_s:
            return
        window = [k] if s.observe == "now" else range(k - int(s.decision_s / s.step_s), k)
        means = [sum(self.rates[i][p] for i in window) / len(window) for p in range(self.p)]
        answer = self.decide(
            Sight(
                time=float(self.t),
                step=k,
                lags=[float(round(lag, 6)) for lag in self.lags],
                rates=[float(round(rate, 6)) for rate in means],
                owners=list(self.owners),
                replicas=self.asked,
                consumed=list(self.consumed),
                counts=[float(sum(self.rates[i]) * s.step_s) for i in window],
            )
        )
        self.consumed = [False] * self.p
        if answer is None:
            return
        count, kind, after = answer
        clipped = min(max(count, s.min_replicas), s.max_replicas)
        self.asked = clipped
        self.waiting = (clipped, kind if clipped == count else 0, list(after))
        if self.phase == SETTLED:
            self.begin()

    def begin(self) -> None:
        """Begin the waiting action, if it changes anything."""
        assert self.waiting is not None
        count, kind, after = self.waiting
        self.waiting = None
        if self.t >= self.end:
            return
        stay, new, target = self.resolve(count, kind, after)
        same_assignment = target is None or target == self.owners
        if stay == self.members and not new and same_assignment:
            return
        self.leaving = [m for m in self.members if m not in stay]
        self.plan = (new, target)
        before = len(self.members)
        self.out.actions.append(
            {"time": self.t, "before": before, "after": count, "moved": 0, "settled": None}
        )
        self.out.up += count > before
        self.out.down += count < before
        self.out.reassigned += count == before
        self.begun = self.t
        self.paid += len(new)
        self.phase = STARTING
        self.due = self.t + (self.setup.startup_s if new else 0)

    def resolve(
        self, count: int, kind: int, after: list[int]
    ) -> tuple[list[int], list[int], list[int] | None]:
        """Members that stay, new members, and the new owners if they are given."""
        present = self.members
        if kind == 2:
            used = sorted(set(after))
            stay = [m for m in present if m in used]
            idle = [m for m in present if m not in used]
            unknown = [i for i in used if i not in present]
            if len(used) <= count:
                stay = sorted(stay + idle[: count - len(used)])
                new = self.free_ids(count - len(stay))
                names = {m: m for m in stay} | dict(zip(unknown, new, strict=False))
                return stay, new, [names[i] for i in after]
        stay = present[:count]
        new = self.free_ids(count - len(stay))
        if kind == 1:
            members = sorted(stay + new)
            return stay, new, [members[rank] for rank in after]
        return stay, new, None

    def free_ids(self, n: int) -> list[int]:
        """The lowest ids that are not in use."""
        return [i for i in range(n + len(self.members)) if i not in self.members][:n]

    # Group events

    def fire_events(self) -> None:
        while self.due == self.t:
            self.due = None
            if self.phase == STARTING:
                self.join()
            elif self.phase == JOINED:
                self.rebalance()
            else:
                self.settle()
            if self.phase == SETTLED and self.waiting is not None:
                self.begin()

    def join(self) -> None:
        new, _ = self.plan
        self.members = sorted([m for m in self.members if m not in self.leaving] + new)
        self.owners = [-1 if owner in self.leaving else owner for owner in self.owners]
        self.paid = len(self.members)
        self.phase = JOINED
        self.due = self.t + self.setup.heartbeat_s

    def rebalance(self) -> None:
        s = self.setup
        _, target = self.plan
        if target is None:
            target = self.placed(self.owners)
        moved = [target[p] not in (-1, self.last[p]) for p in range(self.p)]
        for p in range(self.p):
            if moved[p]:
                twice = s.protocol == "cooperative" and self.last[p] in self.members
                pause = s.rebalance_s * (2 if twice else 1) + s.move_pause_s
            else:
                pause = s.rebalance_s if s.protocol == "eager" else NONE
            self.until[p] = self.t + pause
        self.owners = target
        self.last = [new if new >= 0 else old for new, old in zip(target, self.last, strict=True)]
        if self.t < self.end:
            self.out.moved += sum(moved)
            self.out.actions[-1]["moved"] = sum(moved)
        self.phase = REBALANCING
        self.settle()

    def settle(self) -> None:
        later = [t for t in self.until if t > self.t]
        if later:
            self.due = min(later)
            return
        self.phase = SETTLED
        if self.t < self.end:
            self.out.actions[-1]["settled"] = self.t - self.out.actions[-1]["time"]

    def placed(self, owners: list[int]) -> list[int]:
        """Owners by the assignor, repeated until no partition is withheld."""
        if not self.members:
            return [-1] * self.p
        lags = [float(floor(round(lag, 6))) for lag in self.lags]
        while True:
            after = assignors.assign(
                self.setup.assignor, self.p, self.members, np.array(owners), np.array(lags)
            ).tolist()
            if -1 not in after:
                return after
            owners = after


def fair_rates(
    held: list[int], lags: list[Exact], arriving: list[Exact], mu: Exact
) -> dict[int, Exact]:
    """Max-min fair rates of one consumer."""
    if all(lags[p] == 0 for p in held) and sum(arriving[p] for p in held) <= mu:
        return {p: arriving[p] for p in held}
    rates: dict[int, Exact] = {}
    # Demands ascending: one below an equal share of the rest is met in full.
    demands = sorted((p for p in held if lags[p] == 0), key=lambda p: arriving[p])
    hungry = [p for p in held if lags[p] > 0]
    left = mu
    while demands and arriving[demands[0]] * (len(demands) + len(hungry)) <= left:
        p = demands.pop(0)
        rates[p] = arriving[p]
        left -= arriving[p]
    for p in demands + hungry:
        rates[p] = left / len(demands + hungry)
    return rates
