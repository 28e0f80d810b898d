"""Decisions in a plainly simulated group, and the actions that they begin."""

from __future__ import annotations

from tests.algorithms.simulation.plain_commits import Commits
from tests.algorithms.simulation.plain_history import LEAVE, START
from tests.algorithms.simulation.plain_settings import SETTLED, STARTING, Exact, Sight


class Decisions(Commits):
    """A strategy decides."""

    def make_decision(self, k: int) -> None:
        s = self.setup
        if self.begun is not None and self.t - self.begun < s.cooldown_s:
            return
        window = [k] if s.observe == "now" else range(k - int(s.decision_s / s.step_s), k)
        each = range(self.p)
        means = [sum(self.rates[i][p] for i in window) / len(window) for p in each]
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
                arrived=[float(sum(row[p] for row in self.rates[:k]) * s.step_s) for p in each],
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
        self.coming = {m: self.t + self.startup(m) for m in new}
        if target is not None and new:
            self.coming = dict.fromkeys(new, max(self.coming.values()))
        self.due = min(self.coming.values(), default=self.t)

    def startup(self, member: int) -> Exact:
        """How long a new member starts: its own draw for each of its starts."""
        if not self.setup.startups:
            return self.setup.startup_s
        start = self.starts.get(member, 0)
        self.starts[member] = start + 1
        left = self.history.unit(START, start, member)
        for low, high, share in self.setup.startups:
            if left < share:
                return low + (high - low) * left / share
            left -= share
        raise AssertionError("shares must sum to 1")

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
