"""Members of a plainly simulated group that learn of a rebalance at their own heartbeats."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tests.algorithms.simulation.plain_decisions import Decisions
from tests.algorithms.simulation.plain_history import HEARTBEAT
from tests.algorithms.simulation.plain_owners import Owners
from tests.algorithms.simulation.plain_settings import NEVER, NONE, TELLING, Decide, Exact, Setup


class Heartbeats(Decisions, Owners, ABC):
    """Each member sends a heartbeat, waits an interval, sends the next one."""

    def __init__(self, rates: list[list[Exact]], setup: Setup, decide: Decide) -> None:
        super().__init__(rates, setup, decide)
        self.has_own_beats = setup.heartbeats != "whole"
        # When each member joined and the part of an interval until its first heartbeat, how often
        # members have joined, and which are new in the present rebalance.
        self.beats: dict[int, tuple[Exact, Exact]] = {}
        self.enrolled: dict[int, int] = {}
        self.new: list[int] = []
        self.is_same = False
        # In step: when the heartbeats of all began to count.
        self.together = (self.history.unit(HEARTBEAT, 0, 0) - 1) * setup.heartbeat_s
        # When the coordinator of KIP-848 assigned last.
        self.assigned: Exact = -NEVER
        # What each member of a round waits for: its heartbeat, then the end of its batch.
        self.hears: dict[int, Exact] = {}
        self.done: dict[int, Exact] = {}
        # KIP-848: when partitions that move are given up, and their next owners.
        self.given: dict[int, Exact] = {}
        self.heirs: list[int] = []
        for m in self.members:
            self.take_phase(m, NONE)

    def take_phase(self, member: int, at: Exact) -> None:
        row = self.enrolled.get(member, 0)
        self.beats[member] = at, self.history.unit(HEARTBEAT, row, member)
        self.enrolled[member] = row + 1

    def joined(self, new: list[int], is_first: bool, late: Exact) -> None:
        """Members have joined: when does the coordinator begin to tell?"""
        s = self.setup
        for m in new:
            self.take_phase(m, self.t)
        self.new = new
        self.is_same = not new and not self.leaving
        if not self.has_own_beats:
            return
        if s.protocol == "incremental":
            self.assigned = max(self.t + late, self.assigned + s.assignment_interval_s)
            self.due = self.assigned
        elif not is_first:
            self.due = self.t + late

    def beat(self, member: int, at: Exact, interval: Exact) -> Exact:
        """The member's next heartbeat."""
        if interval == 0:
            return at
        is_incremental = self.setup.protocol == "incremental"
        begun, part = self.beats[member]
        next_ = begun + part * interval
        if self.setup.heartbeats == "in_step" and not is_incremental:
            next_ = self.together + interval
        elif is_incremental and member in self.new:
            next_ = begun
        while next_ < at:
            next_ += interval
        return next_

    def round_over(self, at: Exact) -> None:
        """Classic members have their assignments at a time."""
        if self.setup.protocol != "incremental":
            self.together = at

    def tell(self) -> None:
        """A first round: those that have just joined need no heartbeat, nor who asked for it."""
        self.phase = TELLING
        self.done = {}
        self.hears = {m: self.beat(m, self.t, self.setup.heartbeat_s) for m in self.members}
        self.hears |= dict.fromkeys(self.members[:1] if self.is_same else self.new, self.t)

    def all_joined(self) -> bool:
        """Let those learn whose heartbeats are due; whether all have joined then."""
        batches = self.batches()
        for m, at in self.hears.items():
            if at == self.t:
                self.done[m] = self.t + batches[m]
        return all(m in self.done and self.done[m] <= self.t for m in self.members)

    def next_joining(self) -> Exact:
        times = [*self.hears.values(), *self.done.values()]
        return min(time for time in times if time > self.t)

    def hear(self) -> None:
        """Something happens in the first round."""
        if self.all_joined():
            self.rebalance()
            return
        self.due = self.next_joining()
        if self.setup.protocol != "eager":
            return
        for p in range(self.p):
            owner = self.owners[p]
            if owner >= 0 and self.done.get(owner, NEVER) <= self.t and self.until[p] < NEVER:
                self.commit(p)
                self.until[p] = NEVER

    def plan_second_round(self, moved: list[bool]) -> None:
        """Those who give something up learn of it as the first round ends."""
        s = self.setup
        end = self.t + s.rebalance_s
        givers = {self.last[p] for p in range(self.p) if moved[p]} & {*self.members}
        if not givers:
            return
        self.second = end
        self.done = {}
        self.hears = {
            m: end if m in givers else self.beat(m, end, s.second_heartbeat_s) for m in self.members
        }

    def plan_handovers(self, moved: list[bool], target: list[int]) -> None:
        self.heirs = target
        for p in range(self.p):
            owner = self.owners[p]
            if not moved[p]:
                if owner not in (-1, target[p]):
                    self.commit(p)
                self.owners[p] = target[p]
                if target[p] >= 0:
                    self.last[p] = target[p]
                self.until[p] = self.t + self.repeated(p, target[p])
            else:
                heartbeat_s = self.setup.heartbeat_s
                self.given[p] = self.t if owner < 0 else self.beat(owner, self.t, heartbeat_s)
        self.hand_over()
        self.settle()

    def hand_over(self) -> None:
        """Owners give up partitions at their heartbeats, and heirs get them at theirs."""
        s = self.setup
        for p in [p for p, at in self.given.items() if at == self.t]:
            heir = self.heirs[p]
            if self.owners[p] >= 0:
                self.commit(p)
            self.owners[p] = self.last[p] = heir
            at = self.beat(heir, self.t, s.second_heartbeat_s)
            self.until[p] = at + s.rebalance_s + s.move_pause_s + self.repeated(p, heir)
            del self.given[p]

    def repeated(self, p: int, owner: int) -> Exact:
        """How long the next owner serves again what the last one had not committed."""
        if owner < 0:
            return NONE
        repeated = self.again[p] / self.setup.mu
        self.again[p] = NONE
        return repeated

    @abstractmethod
    def rebalance(self) -> None:
        """Begin a rebalance, or a round of one."""

    @abstractmethod
    def settle(self) -> None:
        """End the rebalance."""
