"""State of a plainly simulated group."""

from __future__ import annotations

from collections.abc import Sequence

from tests.algorithms.simulation.plain_history import PHASE, PlainHistory
from tests.algorithms.simulation.plain_latency import Curve
from tests.algorithms.simulation.plain_settings import (
    NONE,
    ONE,
    SETTLED,
    Answer,
    Decide,
    Exact,
    Plain,
    Setup,
)


class State:
    """A group while it is simulated, before its partitions are placed."""

    def __init__(self, rates: Sequence[Sequence[Exact]], setup: Setup, decide: Decide) -> None:
        self.rates, self.setup, self.decide = rates, setup, decide
        self.n, self.p = len(rates), len(rates[0])
        self.end = self.n * setup.step_s
        self.t = NONE
        self.lags = [NONE] * self.p
        self.members = list(range(setup.initial_replicas))
        self.leaving: list[int] = []
        # When each new member is ready that has not joined, and how often members have started.
        self.coming: dict[int, Exact] = {}
        self.starts: dict[int, int] = {}
        self.paid = len(self.members)
        self.history = PlainHistory(setup.seed, setup.placement_draw, setup.static_members)
        self.owners = [-1] * self.p
        self.last = [-1] * self.p
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
        self.committed_at = [NONE] * self.p
        # What the next owner of each partition serves again.
        self.again = [NONE] * self.p
        self.committed_before = [-ONE] * self.p
        self.due_commits = {
            m: self.history.unit(PHASE, 0, m) * setup.commit_s for m in self.members
        }
        self.out = Plain()
        self.out.arrivals = [Curve() for _ in range(self.p)]
        self.out.departures = [Curve() for _ in range(self.p)]
