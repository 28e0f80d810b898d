"""Constant numbers of replicas: all of them, on each kind of consumers, at several loads."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import candidate_grid
from algorithms.core.arrays import Floats
from algorithms.inference.next_week import DayOutcomes, next_week
from algorithms.inference.week_draws import Draws
from algorithms.simulation.constant_groups import ConstantGroups, MemberLateness, first_owners
from algorithms.simulation.group_costs import BlockTotals
from pipeline.autoscaling.recommendation import candidate_outcomes
from pipeline.autoscaling.recommendation.candidate_outcomes import (
    Bench,
    CandidateOutcome,
    Count,
    Run,
)
from pipeline.autoscaling.recommendation.consumer_settings import Consumers

_ROUNDING = 1e-9
_AS_LIKELY = 0.02
"""Chances that differ by less are alike."""


class CountsTried(NamedTuple):
    """Which constant numbers of replicas are enough, of one kind of consumers.

    Attributes
    ----------
    kind : Consumers
        The consumers.
    kept : tuple of int
        Numbers that keep the objective on the recording itself, ascending.
    least, most : int
        All numbers between these were tried.
    lasting : int or None
        Least number that keeps it in the next week as well, as surely as asked.
    likeliest : int or None
        Least number that keeps it as likely as any, within `_AS_LIKELY`.
    """

    kind: Consumers
    kept: tuple[int, ...]
    least: int
    most: int
    lasting: int | None
    likeliest: int | None

    @property
    def failing_above(self) -> tuple[int, ...]:
        """Numbers above the least of `kept` that are not enough: load is not monotone in them."""
        if not self.kept:
            return ()
        return tuple(n for n in range(self.kept[0], self.most + 1) if n not in set(self.kept))


class ConstantCounts:
    """Lateness of constant groups on a workload, each simulated member by member where possible.

    Parameters
    ----------
    bench : Bench
        The workload and what all groups share.
    allowed : float
        Share of the events that may be late.
    count : Count
        Counts groups that were tried.
    """

    def __init__(self, bench: Bench, allowed: float, count: Count) -> None:
        self.bench, self.allowed, self.count = bench, allowed, count
        self._groups: dict[float, ConstantGroups] = {}
        settings = bench.settings
        self.is_by_member = not (settings.get("service_cv") or settings.get("poisson"))

    def most(self, kind: Consumers) -> int:
        """Most constant replicas of interest: those with partitions, unless there must be more."""
        least, most = (self.bench.settings[key] for key in ("min_replicas", "max_replicas"))
        return int(max(min(self.bench.most_useful(kind.assignor), most), least))

    def tried(self, kind: Consumers, draws: Draws, confidence: float) -> CountsTried:
        """Try all numbers, and find the least that lasts."""
        least, most = max(int(self.bench.settings["min_replicas"]), 1), self.most(kind)
        self.count.total += most - least + 1
        kept = []
        for n in range(least, most + 1):
            if self.keeps(kind, n):
                kept.append(n)
            self.count.done += 1
        chances: dict[int, float] = {}
        for n in kept:
            chances[n] = self.chance(kind, n, draws)
            if chances[n] >= confidence:
                return CountsTried(kind, tuple(kept), least, most, n, n)
        enough = max(chances.values(), default=0.0) - _AS_LIKELY
        likeliest = next((n for n, chance in chances.items() if chance >= enough), None)
        return CountsTried(kind, tuple(kept), least, most, None, likeliest)

    def keeps(self, kind: Consumers, n: int) -> bool:
        """Whether n replicas keep the objective on the recording."""
        if not self.is_by_member:
            return self.outcome(kind, n).late <= self.allowed + _ROUNDING
        step_s = self.bench.settings["step_s"]
        most_late = (self.allowed + _ROUNDING) * float(self.bench.rates.sum()) * step_s
        return self._by_member(kind, n, 1.0, most_late) is not None

    def chance(self, kind: Consumers, n: int, draws: Draws) -> float:
        """Chance that the next week keeps the objective with n replicas."""
        days = day_outcomes(self.bench, [[self.at(kind, n, f) for f in FACTORS]])
        return float(next_week(days, draws, self.allowed).kept[0])

    def at(self, kind: Consumers, n: int, factor: float) -> CandidateOutcome:
        """Figures of n replicas at a load factor; without latencies if they come by member."""
        bench = self.bench
        run = Run(candidate_grid.constant(n), kind)
        if not self.is_by_member:
            return candidate_outcomes.simulated(bench.scaled(factor), run)
        lateness = self._by_member(kind, n, factor, math.inf)
        assert lateness is not None
        late = np.clip(lateness.late, 0.0, lateness.events)
        prices = bench.prices
        cost = prices.replica_hour * n * bench.hours + prices.late_event * late
        carried = float(lateness.carried.sum() / max(lateness.events.sum(), 1e-300))
        return CandidateOutcome(
            candidate_outcomes.settings_of(bench, run),
            BlockTotals(cost, lateness.events, late),
            math.nan,
            *(float(n), float(n), 0.0, carried),
        )

    def outcome(self, kind: Consumers, n: int) -> CandidateOutcome:
        """Figures of n replicas on the recording."""
        return self.at(kind, n, 1.0)

    def _by_member(
        self, kind: Consumers, n: int, factor: float, most_late: float
    ) -> MemberLateness | None:
        owners = first_owners(kind.assignor, n, self.bench.topics)
        return self._at_factor(factor).lateness(owners, most_late)

    def _at_factor(self, factor: float) -> ConstantGroups:
        if factor not in self._groups:
            bench, parts = self.bench, self.bench.parts
            # Steps that were cut for strategies that decide: constant groups do not.
            settings: dict[str, Any] = {
                **bench.settings,
                "step_s": bench.settings["step_s"] * parts,
            }
            rates: Floats = bench.rates[::parts] * factor
            self._groups[factor] = ConstantGroups(rates, bench.edges // parts, settings)
        return self._groups[factor]


FACTORS = (0.5, 0.75, 1.0, 1.2, 1.5, 2.0, 3.0)
"""Factors on the load at which what may be recommended is simulated."""


def day_outcomes(bench: Bench, rows: list[list[CandidateOutcome]]) -> DayOutcomes:
    """Figures of k candidates at `FACTORS`, by day."""
    figures = [
        np.array([[getattr(one.totals, name) for one in row] for row in rows]).transpose(0, 2, 1)
        for name in ("events", "late", "cost")
    ]
    return DayOutcomes(np.array(FACTORS), bench.hours, *figures)


def numbers(tried: CountsTried) -> Iterator[int]:
    """Numbers of replicas to show: the least that is enough, and the one that lasts best."""
    yield from dict.fromkeys(n for n in (*tried.kept[:1], tried.likeliest) if n is not None)
