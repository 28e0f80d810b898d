"""Actions of a plainly simulated group, event by event, up to where all is consumed again."""

from __future__ import annotations

from tests.algorithms.simulation.plain_heartbeats import Heartbeats
from tests.algorithms.simulation.plain_history import HEARTBEAT
from tests.algorithms.simulation.plain_settings import (
    FINISHING,
    JOINED,
    NEVER,
    NONE,
    REBALANCING,
    SETTLED,
    STARTING,
    TELLING,
    Exact,
)


class Rebalances(Heartbeats):
    """Members join and leave, and partitions move."""

    def fire_events(self) -> None:
        while self.due == self.t:
            self.due = None
            if self.phase == STARTING:
                self.join()
            elif self.phase == JOINED:
                self.finish_batches()
            elif self.phase == TELLING:
                self.hear()
            elif self.phase == FINISHING:
                self.stop()
            else:
                self.hand_over()
                if self.second == self.t:
                    self.begin_second_round()
                self.settle()
            if self.phase == SETTLED and self.waiting is not None:
                self.begin()

    def join(self) -> None:
        s = self.setup
        new = sorted(m for m, ready in self.coming.items() if ready <= self.t)
        self.coming = {m: ready for m, ready in self.coming.items() if m not in new}
        is_first = not self.members
        self.members = sorted([m for m in self.members if m not in self.leaving] + new)
        for m in new:
            self.history.enrol(m)
            self.due_commits[m] = self.t + s.commit_s
        for p in range(self.p):
            if self.owners[p] in self.leaving:
                self.leave(p)
                self.owners[p] = -1
        self.paid = len(self.members) + len(self.coming)
        self.phase = JOINED
        self.due = self.t + s.heartbeat_s
        if s.protocol == "incremental":
            self.due += s.assignment_interval_s
        elif is_first:
            self.due = self.t + s.initial_rebalance_s
        late = s.session_s if self.leaving and s.static_members and not s.leave_on_close else NONE
        self.due += late
        self.joined(new, is_first, late)

    def finish_batches(self) -> None:
        if self.has_own_beats and self.setup.protocol != "incremental":
            self.tell()
            self.hear()
            return
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
                if self.owners[p] >= 0:
                    self.commit(p)
            self.due_commits = {m: self.t + s.rebalance_s + s.commit_s for m in self.members}
        if target is None:
            target = self.placed(self.owners)
        moved = [target[p] not in (-1, self.last[p]) for p in range(self.p)]
        self.second = None
        self.count_moved(moved)
        self.phase = REBALANCING
        if self.has_own_beats and s.protocol == "incremental":
            self.plan_handovers(moved, target)
            return
        self.round_over(self.t + s.rebalance_s)
        if self.has_own_beats and s.protocol == "cooperative":
            self.plan_second_round(moved)
        for p in range(self.p):
            if self.owners[p] not in (-1, target[p]):
                self.commit(p)
            self.until[p] = self.t + self.pause(moved[p], target[p], self.last[p])
            if target[p] >= 0:
                self.until[p] += self.again[p] / s.mu
                self.again[p] = NONE
        self.owners = target
        self.last = [new if new >= 0 else old for new, old in zip(target, self.last, strict=True)]
        self.settle()

    def count_moved(self, moved: list[bool]) -> None:
        if self.t < self.end:
            self.out.moved += sum(moved)
            self.out.actions[-1]["moved"] += sum(moved)

    def pause(self, moves: bool, owner: int, last: int) -> Exact:
        s = self.setup
        if not moves:
            if s.protocol == "cooperative":
                return s.kept_pause_s
            return s.rebalance_s if s.protocol == "eager" else NONE
        if s.protocol == "cooperative" and last in self.members:
            if not self.has_own_beats:
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
        end = self.t + s.rebalance_s
        if not self.has_own_beats:
            end += max(self.batches().values())
        elif not self.all_joined():
            self.second = self.next_joining()
            return
        self.round_over(end)
        for p in range(self.p):
            if self.owners[p] >= 0:
                self.commit(p)
            if self.until[p] >= NEVER:
                self.until[p] = end + s.move_pause_s
            elif s.kept_pause_s:
                self.until[p] = max(self.until[p], self.t + s.kept_pause_s)
        self.due_commits = {m: end + s.commit_s for m in self.members}

    def settle(self) -> None:
        later = [t for t in (*self.until, *self.given.values()) if self.t < t < NEVER]
        if self.second is not None:
            later.append(self.second)
        if later:
            self.due = min(later)
            return
        if self.coming:
            self.phase = STARTING
            self.due = max(self.t, min(self.coming.values()))
            return
        self.phase = SETTLED
        if self.t < self.end:
            self.out.actions[-1]["settled"] = self.t - self.out.actions[-1]["time"]
