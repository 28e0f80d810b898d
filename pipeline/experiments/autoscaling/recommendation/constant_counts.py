"""Constant numbers of replicas: all of them, on each kind of consumers, at several loads."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import candidate_grid
from algorithms.core.arrays import Floats, Longs
from algorithms.inference.next_week import DayOutcomes, next_week
from algorithms.inference.week_draws import Draws
from algorithms.simulation import drawn_placements
from algorithms.simulation.constant_groups import MEMBER_SETTINGS, ConstantGroups, GroupLateness
from algorithms.simulation.group_costs import BlockTotals
from pipeline.experiments.autoscaling.recommendation import candidate_outcomes
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import (
    Bench,
    CandidateOutcome,
    Count,
    Run,
)
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers

PLACEMENTS = 40
"""Histories that are drawn of a group whose assignor keeps what members have."""

_FAR = 20.0
"""Placements count as those of a new group where so many times the allowed events are late."""

_MOST_FIRST = 1.5
"""Greatest load at which a number of replicas is simulated before its chance is of interest."""

_ROUNDING = 1e-9
_DIGITS, _SAME = 9, 1e-9
"""Digits of a factor on the load, and differences of rates that are rounding."""

AS_LIKELY = 0.05
"""Chances that differ by less are alike: they are right within five points."""


class CountsTried(NamedTuple):
    """Which constant numbers of replicas are enough, of one kind of consumers."""

    kind: Consumers
    """The consumers."""
    kept: tuple[int, ...]
    """Numbers that keep the objective on the recording itself, ascending."""
    least: int
    most: int
    """`least`, `most`: all numbers between these were tried."""
    lasting: int | None
    """Least number that keeps it in the next week as well, as surely as asked."""
    likeliest: int | None
    """Least number that keeps it as likely as any, within `AS_LIKELY`."""

    @property
    def failing_above(self) -> tuple[int, ...]:
        """Numbers above the least of `kept` that are not enough: load is not monotone in them."""
        if not self.kept:
            return ()
        return tuple(n for n in range(self.kept[0], self.most + 1) if n not in set(self.kept))


class ConstantCounts:
    """Lateness of constant groups on a workload, each simulated member by member where possible.

    bench: The workload and what all groups share.
    allowed: Share of the events that may be late.
    count: Counts groups that were tried, and drawn placements.
    like: Others, whose members are simulated once for both where all is the same but for a factor
        on the load.
    """

    def __init__(
        self, bench: Bench, allowed: float, count: Count, like: ConstantCounts | None = None
    ) -> None:
        self.bench, self.allowed, self.count = bench, allowed, count
        self._like = None if like is None else like.factor_to(bench)
        self._others = like
        self._lock = Lock()
        self._groups: dict[tuple[float, float], ConstantGroups] = {}
        self._new: dict[tuple[str, int, float], CandidateOutcome] = {}
        self._placed: dict[tuple[str, int, int], list[CandidateOutcome]] = {}
        settings = bench.settings
        self.is_by_member = not (settings.get("service_cv") or settings.get("poisson"))

    def most(self, kind: Consumers) -> int:
        """Most constant replicas of interest: those with partitions, unless there must be more."""
        least, most = (self.bench.settings[key] for key in ("min_replicas", "max_replicas"))
        return int(max(min(self.bench.most_useful(kind.assignor), most), least))

    def tried(self, kind: Consumers, draws: Draws, confidence: float) -> CountsTried:
        """Try all numbers, and find the least that lasts."""
        least, most = max(int(self.bench.settings["min_replicas"]), 1), self.most(kind)
        self.count.expect(most - least + 1)
        kept = []
        for n in range(least, most + 1):
            if self.keeps(kind, n):
                kept.append(n)
            self.count.finish()
        # First what a chance cannot exceed: that takes a fraction of the time.
        chances = {n: self._chance_at_most(kind, n, draws) for n in kept}
        for n in kept:
            if chances[n] >= confidence:
                chances[n] = self.chance(kind, n, draws, confidence)
                if chances[n] >= confidence:
                    return CountsTried(kind, tuple(kept), least, most, n, n)
        likeliest = self._likeliest(kind, chances, draws, confidence)
        return CountsTried(kind, tuple(kept), least, most, None, likeliest)

    def _likeliest(
        self, kind: Consumers, at_most: dict[int, float], draws: Draws, confidence: float
    ) -> int | None:
        """Least number whose chance is as great as any, within `AS_LIKELY`."""
        best = -math.inf
        exact: dict[int, float] = {}

        def chance(n: int) -> float:
            if n not in exact:
                exact[n] = self.chance(kind, n, draws, confidence)
            return exact[n]

        for n in sorted(at_most, key=lambda n: -at_most[n]):
            if at_most[n] <= best:
                break
            best = max(best, chance(n))
        enough = best - AS_LIKELY
        return next((n for n in at_most if at_most[n] >= enough and chance(n) >= enough), None)

    def _chance_at_most(self, kind: Consumers, n: int, draws: Draws) -> float:
        """What the chance of n replicas as a new group is at most: greater loads are not simulated.

        No smaller share of the events is late at a greater load.
        """
        row = [self.at(kind, n, factor) for factor in FACTORS if factor <= _MOST_FIRST]
        for factor in FACTORS[len(row) :]:
            last, more = row[-1], factor / FACTORS[len(row) - 1]
            events, late = last.totals.events * more, last.totals.late * more
            row.append(last._replace(totals=last.totals._replace(events=events, late=late)))
        return self._kept(row, draws)

    def keeps(self, kind: Consumers, n: int) -> bool:
        """Whether n replicas keep the objective on the recording."""
        if not self.is_by_member:
            return self.outcome(kind, n).late <= self.allowed + _ROUNDING
        step_s = self.bench.settings["step_s"]
        most_late = (self.allowed + _ROUNDING) * float(self.bench.rates.sum()) * step_s
        return self._by_member(kind, n, 1.0, most_late) is not None

    def chance(self, kind: Consumers, n: int, draws: Draws, confidence: float) -> float:
        """Chance that the next week keeps the objective with n replicas, however they are placed.

        Placements are drawn only while the chance may still be as great as asked.
        """
        row = [self.at(kind, n, factor) for factor in FACTORS]
        chance = self._kept(row, draws)
        if chance < confidence or not self.is_drawn(kind, n):
            return chance
        missed = 0.0
        for k in range(PLACEMENTS):
            own = self._placement(kind, n, k)
            missed += 1.0 - self._kept(own, placed_alike(draws, k))
            if missed > (1.0 - confidence) * PLACEMENTS + _ROUNDING:
                return 1.0 - missed / (k + 1)
        return 1.0 - missed / PLACEMENTS

    def _kept(self, row: list[CandidateOutcome], draws: Draws) -> float:
        return float(next_week(day_outcomes(self.bench, [row]), draws, self.allowed).kept[0])

    def is_drawn(self, kind: Consumers, n: int) -> bool:
        """Whether the placement of n replicas depends on a history, and is drawn."""
        is_static = self.bench.settings.get("static_members", False)
        alike = n == 1 or not drawn_placements.has_history(kind.assignor) or is_static
        return self.is_by_member and not alike

    def placed(
        self,
        rows: Mapping[Run, list[CandidateOutcome]],
        draws: Draws,
        confidence: float,
        shown: Collection[Run] = (),
    ) -> dict[Run, list[list[CandidateOutcome]]]:
        """Figures in drawn histories of those candidates that are constant and have some.

        As for `chance`, one that is not sure enough as a new group has none, unless it is shown.
        """
        numbers = {run: run.candidate.settings.get("initial_replicas", 1) for run in rows}
        return {
            run: self.placements(run.consumers, n)
            for run, n in numbers.items()
            if run.candidate == candidate_grid.constant(n)
            and self.is_drawn(run.consumers, n)
            and (run in shown or self._kept(rows[run], draws) >= confidence)
        }

    def placements(self, kind: Consumers, n: int) -> list[list[CandidateOutcome]]:
        """Figures at `FACTORS` of n replicas in each of `PLACEMENTS` histories."""
        return [self._placement(kind, n, k) for k in range(PLACEMENTS)]

    def _placement(self, kind: Consumers, n: int, k: int) -> list[CandidateOutcome]:
        key = kind.assignor, n, k
        if key not in self._placed:
            self.count.expect(1)
            seed = self.bench.settings.get("seed", 0)
            owners = drawn_placements.owners(kind.assignor, n, self.bench.topics, k + 1, seed)
            row: list[CandidateOutcome] = []
            far = _FAR * max(self.allowed, _ROUNDING)
            for factor in FACTORS:
                is_far = bool(row) and row[-1].late > far
                row.append(self.at(kind, n, factor, None if is_far else owners))
            self._placed[key] = row
            self.count.finish()
        return self._placed[key]

    def at(
        self, kind: Consumers, n: int, factor: float, owners: Longs | None = None
    ) -> CandidateOutcome:
        """Figures of n replicas at a load factor; without latencies if they come by member.

        Their placement is that of a new group unless owners are given.
        """
        key = kind.assignor, n, factor
        if owners is None and key in self._new:
            return self._new[key]
        outcome = self._figures(kind, n, factor, owners)
        if owners is None:
            self._new[key] = outcome
        return outcome

    def _figures(
        self, kind: Consumers, n: int, factor: float, owners: Longs | None
    ) -> CandidateOutcome:
        bench = self.bench
        run = Run(candidate_grid.constant(n), kind)
        if not self.is_by_member:
            return candidate_outcomes.simulated(bench.scaled(factor), run, factor == 1.0)
        lateness = self._by_member(kind, n, factor, math.inf, owners)
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
        self,
        kind: Consumers,
        n: int,
        factor: float,
        most_late: float,
        owners: Longs | None = None,
    ) -> GroupLateness | None:
        if owners is None:
            owners = drawn_placements.owners(kind.assignor, n, self.bench.topics)
        return self._groups_at(factor, n).lateness(owners, most_late)

    def factor_to(self, bench: Bench) -> float | None:
        """Factor on the load, if another workload differs in nothing else that matters here."""
        own = self.bench
        is_other = any(
            bench.settings.get(name) != own.settings.get(name) for name in MEMBER_SETTINGS
        )
        if is_other or bench.parts != own.parts or bench.rates.shape != own.rates.shape:
            return None
        factor = float(bench.rates.sum()) / float(own.rates.sum())
        factor = float(f"{factor:.{_DIGITS}g}")
        return (
            factor if np.allclose(bench.rates, own.rates * factor, rtol=_SAME, atol=0.0) else None
        )

    def _groups_at(self, factor: float, n: int) -> ConstantGroups:
        """Groups whose members serve what each of n may."""
        if self._others is not None and self._like is not None:
            return self._others._groups_at(factor * self._like, n)
        bench, parts = self.bench, self.bench.parts
        limit = bench.settings.get("shared_limit", 0.0) / n
        with self._lock:
            if (factor, limit) not in self._groups:
                # Steps that were cut for strategies that decide: constant groups do not.
                settings: dict[str, Any] = {
                    **bench.settings,
                    "step_s": bench.settings["step_s"] * parts,
                    "shared_limit": limit,
                }
                rates: Floats = bench.rates[::parts] * factor
                self._groups[factor, limit] = ConstantGroups(rates, bench.edges // parts, settings)
            return self._groups[factor, limit]


FACTORS = (0.5, 0.75, 1.0, 1.2, 1.5, 2.0, 3.0)
"""Factors on the load at which what may be recommended is simulated."""


def placed_alike(draws: Draws, k: int) -> Draws:
    """The drawn weeks in which a group has placement k."""
    return Draws(draws.day[k::PLACEMENTS], draws.factor[k::PLACEMENTS])


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
