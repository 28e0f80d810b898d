"""Commits of a plainly simulated group, and what strategies see by them."""

from __future__ import annotations

from tests.algorithms.simulation.plain_service import Service
from tests.algorithms.simulation.plain_settings import Exact


class Commits(Service):
    """Members commit what they serve."""

    def commit(self, p: int) -> None:
        self.committed[p] = self.out.departures[p].level
        self.committed_at[p] = self.t

    def leave(self, p: int) -> None:
        """The member of a partition is removed: its work in flight is lost."""
        in_flight_s, since = self.setup.in_flight_s, self.t - self.committed_at[p]
        lost = self.out.departures[p].level - self.committed[p]
        if in_flight_s < since:
            lost *= in_flight_s / since
            self.commit(p)
            self.committed[p] -= lost
        if not in_flight_s:
            return
        self.again[p] = lost
        if self.t < self.end:
            self.out.reprocessed += lost

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
