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
from algorithms.core import keyed_draws
from algorithms.core.seeds import derive_seed
from tests.algorithms.simulation import plain_latency
from tests.algorithms.simulation.plain_latency import Curve, Segment

Exact = Fraction
NONE, ONE = Fraction(0), Fraction(1)
Answer = tuple[int, int, list[int]] | None
Decide = Callable[["Sight"], Answer]

SETTLED, STARTING, JOINED, REBALANCING = "settled", "starting", "joined", "rebalancing"
FINISHING = "finishing"
NEVER = 10**12 * ONE


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
    second_heartbeat_s: Exact = NONE
    assignment_interval_s: Exact = NONE
    max_poll_records: int = 0
    static_members: bool = False
    leave_on_close: bool = False
    session_s: Exact = 45 * ONE
    commit_s: Exact = NONE
    placement_draw: int = 0
    shared_limit: Exact = NONE
    seed: int = 0
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
        self.history = PlainHistory(setup.seed, setup.placement_draw, setup.static_members)
        self.owners = self.first_owners()
        self.last = list(self.owners)
        self.until = [NONE] * self.p
        self.phase = SETTLED
        self.due: Exact | None = None
        self.begun: Exact | None = None
        self.asked = setup.initial_replicas
        self.waiting: Answer = None
        self.plan: tuple[list[int], list[int] | None] = ([], None)
        self.consumed = [True] * self.p
        self.stops: dict[int, Exact] = {}
        self.second: Exact | None = None
        # What is committed: departures of each partition, and those at the last decision.
        self.committed = [NONE] * self.p
        self.committed_before = [-ONE] * self.p
        self.due_commits = {
            m: self.history.unit(PHASE, 0, m) * setup.commit_s for m in self.members
        }
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
            self.fire_commits()
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

    def serving(self, until_now: bool = False) -> dict[int, list[int]]:
        """Partitions that each member consumes from now on, or has consumed until now."""
        groups: dict[int, list[int]] = {}
        for p in range(self.p):
            begun = self.until[p] < self.t or (self.until[p] == self.t and not until_now)
            if self.owners[p] >= 0 and begun:
                groups.setdefault(self.owners[p], []).append(p)
        return groups

    def member_rate(self, k: int, member: int) -> Exact:
        """Events/s that a member serves in a step."""
        s = self.setup
        mu = s.mu * (s.speed(k, member) if s.speed else ONE)
        return min(mu, s.shared_limit / len(self.members)) if s.shared_limit else mu

    def serve(self, k: int, until: Exact) -> None:
        """Serve up to the next change of any rate."""
        s = self.setup
        uniform = s.arrivals == "uniform" and k < self.n
        arriving = [self.rates[k][p] if uniform else NONE for p in range(self.p)]
        rates = [NONE] * self.p
        stalled = set(range(self.p))
        for member, held in self.serving().items():
            mu = self.member_rate(k, member)
            for p, rate in fair_rates(held, self.lags, arriving, mu).items():
                rates[p] = rate
                stalled.remove(p)
        end = until
        if self.due is not None:
            end = min(end, self.due)
        if s.commit_s and k < self.n:
            end = min([end, *(self.due_commits[m] for m in self.members)])
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
                lags=[float(round(lag, 6)) for lag in self.lags_seen()],
                rates=[float(round(rate, 6)) for rate in means],
                owners=list(self.owners),
                replicas=self.asked,
                consumed=self.consumed_seen(),
                counts=[float(sum(self.rates[i]) * s.step_s) for i in window],
            )
        )
        self.consumed = [False] * self.p
        self.committed_before = list(self.committed)
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
        if self.history.shuffled and count < len(present):
            actions = len(self.out.actions)
            draws = {m: self.history.unit(LEAVE, actions, m) for m in present}
            stay = sorted(sorted(present, key=lambda m: -draws[m])[:count])
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
                self.finish_batches()
            elif self.phase == FINISHING:
                self.stop()
            else:
                if self.second == self.t:
                    self.begin_second_round()
                self.settle()
            if self.phase == SETTLED and self.waiting is not None:
                self.begin()

    def join(self) -> None:
        s = self.setup
        new, _ = self.plan
        self.members = sorted([m for m in self.members if m not in self.leaving] + new)
        for m in new:
            self.history.enrol(m)
            self.due_commits[m] = self.t + s.commit_s
        for p in range(self.p):
            if self.owners[p] in self.leaving:
                self.commit(p)
                self.owners[p] = -1
        self.paid = len(self.members)
        self.phase = JOINED
        self.due = self.t + s.heartbeat_s
        if s.protocol == "incremental":
            self.due += s.assignment_interval_s
        if self.leaving and s.static_members and not s.leave_on_close:
            self.due += s.session_s

    def batches(self, until_now: bool = False) -> dict[int, Exact]:
        """How long each member needs for what it takes at once."""
        most = Fraction(self.setup.max_poll_records)
        found = dict.fromkeys(self.members, NONE)
        for m, held in self.serving(until_now).items():
            found[m] = min(sum((self.lags[p] for p in held), NONE), most) / self.setup.mu
        return found

    def finish_batches(self) -> None:
        batches = self.batches()
        if self.setup.protocol == "incremental" or not any(batches.values()):
            self.rebalance()
            return
        self.phase = FINISHING
        self.stops = {m: self.t + batch for m, batch in batches.items()}
        self.due = max(self.stops.values())
        if self.setup.protocol == "eager":
            self.stop()

    def stop(self) -> None:
        """Eager members whose batch is served serve nothing more until the rebalance is over."""
        later = [at for at in self.stops.values() if at > self.t]
        if not later:
            self.rebalance()
            return
        self.due = min(later)
        for p in range(self.p):
            if self.owners[p] >= 0 and self.stops[self.owners[p]] <= self.t:
                self.commit(p)
                self.until[p] = NEVER

    def rebalance(self) -> None:
        s = self.setup
        _, target = self.plan
        if s.protocol != "incremental":
            for p in range(self.p):
                self.commit(p)
            self.due_commits = {m: self.t + s.rebalance_s + s.commit_s for m in self.members}
        if target is None:
            target = self.placed(self.owners)
        moved = [target[p] not in (-1, self.last[p]) for p in range(self.p)]
        self.second = None
        for p in range(self.p):
            if self.owners[p] != target[p]:
                self.commit(p)
            self.until[p] = self.t + self.pause(moved[p], target[p], self.last[p])
        self.owners = target
        self.last = [new if new >= 0 else old for new, old in zip(target, self.last, strict=True)]
        if self.t < self.end:
            self.out.moved += sum(moved)
            self.out.actions[-1]["moved"] = sum(moved)
        self.phase = REBALANCING
        self.settle()

    def pause(self, moves: bool, owner: int, last: int) -> Exact:
        s = self.setup
        if not moves:
            return s.rebalance_s if s.protocol == "eager" else NONE
        if s.protocol == "cooperative" and last in self.members:
            self.second = self.t + s.rebalance_s + s.second_heartbeat_s
            return NEVER
        pause = s.rebalance_s + s.move_pause_s
        if s.protocol == "incremental":
            drawn = self.history.unit(HEARTBEAT, len(self.out.actions), owner)
            pause += drawn * s.second_heartbeat_s
        return pause

    def begin_second_round(self) -> None:
        s = self.setup
        self.second = None
        end = self.t + max(self.batches().values()) + s.rebalance_s
        for p in range(self.p):
            if self.owners[p] >= 0:
                self.commit(p)
            if self.until[p] >= NEVER:
                self.until[p] = end + s.move_pause_s
        self.due_commits = {m: end + s.commit_s for m in self.members}

    # Commits

    def commit(self, p: int) -> None:
        self.committed[p] = self.out.departures[p].level

    def fire_commits(self) -> None:
        """Members that are due commit what they serve, before anything else of the instant."""
        s = self.setup
        if not s.commit_s:
            return
        batches, serving = self.batches(until_now=True), self.serving(until_now=True)
        for m in self.members:
            if self.due_commits[m] == self.t:
                for p in serving.get(m, []):
                    self.commit(p)
                self.due_commits[m] += max(s.commit_s, batches[m])

    def lags_seen(self) -> list[Exact]:
        if not self.setup.commit_s:
            return self.lags
        return [self.out.arrivals[p].level - self.committed[p] for p in range(self.p)]

    def consumed_seen(self) -> list[bool]:
        if not self.setup.commit_s:
            return list(self.consumed)
        return [now > old for now, old in zip(self.committed, self.committed_before, strict=True)]

    def settle(self) -> None:
        later = [t for t in self.until if self.t < t < NEVER]
        if self.second is not None:
            later.append(self.second)
        if later:
            self.due = min(later)
            return
        self.phase = SETTLED
        if self.t < self.end:
            self.out.actions[-1]["settled"] = self.t - self.out.actions[-1]["time"]

    # Placement

    def first_owners(self) -> list[int]:
        """Owners at time 0: of a drawn history, after all have joined and been replaced."""
        everybody = self.members
        if not self.history.shuffled:
            return self.placed([-1] * self.p)
        owners = [-1] * self.p
        for m in everybody:
            self.history.enrol(m)
            self.members = everybody[: m + 1]
            owners = self.placed(owners)
        for m in everybody:
            self.members = [other for other in everybody if other != m]
            owners = self.placed([-1 if owner == m else owner for owner in owners])
            self.history.enrol(m)
            self.members = everybody
            owners = self.placed(owners)
        return owners

    def placed(self, owners: list[int]) -> list[int]:
        """Owners by the assignor, repeated until no partition is withheld."""
        if not self.members:
            return [-1] * self.p
        lags = [float(floor(round(lag, 6))) for lag in self.lags]
        order = self.history.order(self.members)
        ids = {m: order.index(m) if self.history.shuffled else m for m in order}
        present = [ids.get(owner, -1) for owner in owners]
        while True:
            after = assignors.assign(
                self.setup.assignor, self.p, list(ids.values()), np.array(present), np.array(lags)
            ).tolist()
            if -1 not in after:
                names = {number: m for m, number in ids.items()}
                return [names[number] for number in after]
            present = after


HEARTBEAT, PHASE, PLACE, LEAVE = 2, 3, 4, 5
"""Kinds of draws."""


class PlainHistory:
    """Draws of a history: who is where in the order, who leaves, when members learn and commit."""

    def __init__(self, seed: int, draw: int, static: bool) -> None:
        self.seed = derive_seed(seed, "history", str(draw)) if draw else seed
        self.shuffled = draw > 0 and not static
        self.joins = 0
        self.keys: dict[int, Exact] = {}

    def unit(self, kind: int, row: int, column: int) -> Exact:
        cell = np.uint64(keyed_draws.key(self.seed, kind, row, column))
        return Fraction(keyed_draws.unit(cell))

    def enrol(self, member: int) -> None:
        if self.shuffled:
            self.keys[member] = self.unit(PLACE, self.joins, member)
            self.joins += 1

    def order(self, members: list[int]) -> list[int]:
        if not self.shuffled:
            return members
        return sorted(members, key=lambda m: -self.keys[m])


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
