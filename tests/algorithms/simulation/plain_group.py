"""A consumer group simulated in exact fractions, one event after the other, as it is described.

Written from the description of the model, not from the kernels: curves of arrivals and departures
are stored point by point, and latencies are read off them at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.algorithms.simulation import plain_latency
from tests.algorithms.simulation.plain_rebalances import Rebalances
from tests.algorithms.simulation.plain_settings import NONE, Decide, Exact, Plain, Setup


class Group(Rebalances):
    """A group of members that a strategy scales, step by step."""

    def __init__(self, rates: Sequence[Sequence[Exact]], setup: Setup, decide: Decide) -> None:
        super().__init__(rates, setup, decide)
        self.owners = self.first_owners()
        self.last = list(self.owners)

    def run(self) -> Plain:
        s = self.setup
        times = {k * s.step_s + s.decision_offset_s: k for k in self.decision_steps()}
        for k in range(self.n):
            self.stalled_before, self.served_before = self.out.stalled, self.served()
            self.paid_before = self.out.replica_seconds
            self.run_step(k, times)
            self.out.replicas.append(self.paid_at_end)
            self.out.step_lags.append(sum(self.lags, NONE))
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
