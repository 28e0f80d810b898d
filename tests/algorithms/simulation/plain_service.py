"""Service in a plainly simulated group: max-min fair rates up to the next change of any rate."""

from __future__ import annotations

from fractions import Fraction

from tests.algorithms.simulation.plain_settings import NONE, ONE, Exact
from tests.algorithms.simulation.plain_state import State


class Service(State):
    """Members serve the partitions that they own."""

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

    def batches(self, until_now: bool = False) -> dict[int, Exact]:
        """How long each member needs for what it takes at once."""
        most = Fraction(self.setup.max_poll_records)
        batches = dict.fromkeys(self.members, NONE)
        for m, held in self.serving(until_now).items():
            batches[m] = min(sum((self.lags[p] for p in held), NONE), most) / self.setup.mu
        return batches


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
