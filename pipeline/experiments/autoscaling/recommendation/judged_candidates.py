"""Candidates judged by what the next week may bring."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.seeds import derive_seed
from algorithms.inference import (
    day_levels,
    next_week,
    resampled_choice,
    simplest_choice,
    week_draws,
)
from algorithms.inference.intervals import Interval
from algorithms.inference.next_week import DayOutcomes, NextWeek
from algorithms.inference.resampled_choice import ResampledChoice
from algorithms.inference.simplest_choice import NONE, Choice
from algorithms.inference.week_draws import WEEK_DAYS, Draws
from pipeline.experiments.autoscaling.recommendation import constant_counts, obstacles, simplicity
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import (
    Bench,
    CandidateOutcome,
    Run,
)
from pipeline.experiments.autoscaling.recommendation.recommendation_question import (
    Question,
    whole_days,
)

_ROUNDING = 1e-9
_SATURDAY = 5
_LEAST_ALLOWED = 1e-6


class Judged(NamedTuple):
    """One candidate on one kind of consumers."""

    run: Run
    """The candidate and its consumers."""
    outcome: CandidateOutcome
    """Figures of its simulation on the recording."""
    obstacle: str | None
    """Why it cannot be deployed; None if it can."""
    tier: int
    """How simple it is; see `simplicity`."""
    cost: Interval
    on_time: Interval
    """`cost`, `on_time`: cost per hour, and share of events in time, on the recording, with the 95
    % interval of the next week; NaN where that was not computed."""
    keeps_recording: bool
    """Whether it keeps the objective on the recording itself."""
    probability: float
    """Chance that it keeps it in the next week; NaN where that was not computed."""
    keeps: bool
    """Whether it keeps it on the recording, and in the next week as surely as asked."""
    saves: float
    """Share of the drawn weeks in which it saves what is worth it, compared with the answer."""


class Weeks(NamedTuple):
    """Weeks that may follow a recording."""

    levels: Floats
    """Level of each recorded day."""
    draws: Draws
    """The drawn weeks, or stretches as long as a recording that is shorter than a day."""
    days: int
    """Whole days of the recording."""
    seed: int
    """Seed of further draws."""
    weekend: Bools | None = None
    """Days that are at a weekend; None if that is not known."""


class Evidence(NamedTuple):
    """What the candidates are judged by; positions are those of `runs`."""

    runs: tuple[Run, ...]
    rows: tuple[list[CandidateOutcome], ...]
    """`runs`, `rows`: candidates, and their figures at `constant_counts.FACTORS`."""
    obstacles: tuple[str | None, ...]
    tiers: Longs
    """`obstacles`, `tiers`: why they cannot be deployed, and how simple they are."""
    outcomes: DayOutcomes
    week: NextWeek
    """`outcomes`, `week`: their figures by day, and in the drawn weeks."""
    keeps: Bools
    """Whether they keep the objective on the recording, and in the next week as surely as asked."""
    allowed: float
    """Share of the events that may be late."""


def drawn_weeks(bench: Bench, question: Question) -> Weeks:
    """Draw the weeks in which all candidates are judged."""
    step_s = bench.settings["step_s"]
    days = whole_days(bench.edges, step_s)
    seed = derive_seed(bench.settings.get("seed", 0), "recommend")
    totals = bench.rates[:: bench.parts].sum(axis=1)
    late = max(min(question.objective.allowed, 1.0 - _LEAST_ALLOWED), 0.0)
    levels = day_levels.day_levels(
        totals,
        bench.edges // bench.parts,
        step_s * bench.parts,
        question.objective.latency_s,
        late,
    )
    weekend = weekends(question.started_at, bench.edges, step_s)
    draws = week_draws.draw_weeks(
        levels, question.spread, weekend=weekend, days=WEEK_DAYS if days else 1, seed=seed
    )
    return Weeks(levels, draws, days, seed, weekend)


def weekends(started_at: datetime | None, edges: Longs, step_s: float) -> Bools | None:
    """Which days are at a weekend, by the middle of each; None without a clock."""
    if started_at is None:
        return None
    middles_s = 0.5 * step_s * (edges[:-1] + edges[1:])
    days = [(started_at + timedelta(seconds=float(at))).weekday() for at in middles_s]
    return np.array(days) >= _SATURDAY


def gather(
    bench: Bench,
    question: Question,
    weeks: Weeks,
    rows: Mapping[Run, list[CandidateOutcome]],
    placed: Mapping[Run, list[list[CandidateOutcome]]],
) -> Evidence:
    """Judge candidates in the drawn weeks.

    bench, question, weeks: The workload, what is asked of it, and the weeks.
    rows: Figures of each candidate at `constant_counts.FACTORS`.
    placed: The same of some candidates in each of `constant_counts.PLACEMENTS` drawn histories,
        which the drawn weeks then have in turn.
    """
    allowed = question.objective.allowed
    days = constant_counts.day_outcomes(bench, list(rows.values()))
    week = next_week.next_week(days, weeks.draws, allowed)
    for i, run in enumerate(rows):
        if run in placed:
            _mix(week, i, bench, placed[run], weeks.draws, allowed)
    recorded = next_week.keeps_recording(days, allowed)
    return Evidence(
        tuple(rows),
        tuple(rows.values()),
        tuple(_obstacle(bench, run, row[0], question) for run, row in rows.items()),
        np.array([simplicity.tier(run, question) for run in rows], np.int64),
        days,
        week,
        recorded & (week.kept >= question.rule.confidence),
        allowed,
    )


def _mix(
    week: NextWeek,
    i: int,
    bench: Bench,
    placements: list[list[CandidateOutcome]],
    draws: Draws,
    allowed: float,
) -> None:
    """Let the weeks of candidate i have drawn placements, in turn."""
    for k, row in enumerate(placements):
        days = constant_counts.day_outcomes(bench, [row])
        own = next_week.next_week(days, constant_counts.placed_alike(draws, k), allowed)
        week.late[i, k :: len(placements)] = own.late[0]
        week.cost[i, k :: len(placements)] = own.cost[0]
    week.kept[i] = (week.late[i] <= allowed + _ROUNDING).mean()


def choice(evidence: Evidence, question: Question, may: Bools) -> Choice:
    """The rule: among those that may be chosen, the cheapest unless a simpler one is as good."""
    return simplest_choice.choose(
        evidence.week, evidence.tiers, may & evidence.keeps, question.rule
    )


def choice_again(
    evidence: Evidence, question: Question, weeks: Weeks, may: Bools
) -> ResampledChoice:
    """The whole choice made on resampled days, and judged on days that it has not seen."""

    def choose(week: NextWeek) -> int:
        return simplest_choice.choose(week, evidence.tiers, may, question.rule).pick

    return resampled_choice.resampled_choice(
        evidence.outcomes,
        weeks.levels,
        question.objective.allowed,
        choose,
        spread=question.spread,
        weekend=weeks.weekend,
        seed=weeks.seed,
    )


def closest(evidence: Evidence, question: Question, may: Bools) -> int:
    """What comes closest where none keeps the objective; `NONE` if none may be chosen.

    It keeps the objective on the recording, if any does, and is as likely as the likeliest to keep
    it in the next week; among those the rule decides. Else it is the one with the fewest late
    events.
    """
    if not may.any():
        return NONE
    recorded = may & next_week.keeps_recording(evidence.outcomes, evidence.allowed)
    if recorded.any():
        chance = np.where(recorded, evidence.week.kept, -1.0)
        is_alike = chance >= chance.max() - constant_counts.AS_LIKELY
        anyhow = question.rule._replace(confidence=0.0)
        return simplest_choice.choose(evidence.week, evidence.tiers, is_alike, anyhow).pick
    at = constant_counts.FACTORS.index(1.0)
    late = np.array([row[at].late for row in evidence.rows])
    cost = np.round(evidence.week.cost.mean(axis=1), 9)
    return int(np.lexsort((cost, evidence.tiers, late, ~may))[0])


def judge(evidence: Evidence, question: Question, answer: int) -> tuple[Judged, ...]:
    """All candidates, in the order of the evidence, compared with the answer."""
    week, at = evidence.week, constant_counts.FACTORS.index(1.0)
    recorded = next_week.keeps_recording(evidence.outcomes, evidence.allowed)
    hours = float(evidence.outcomes.hours.sum())
    judged = []
    for i, run in enumerate(evidence.runs):
        outcome = evidence.rows[i][at]
        cost = float(outcome.totals.cost.sum()) / hours
        judged.append(
            Judged(
                run,
                outcome,
                evidence.obstacles[i],
                int(evidence.tiers[i]),
                next_week.cost_interval(week, i)._replace(mean=cost),
                next_week.on_time_interval(week, i)._replace(mean=1.0 - outcome.late),
                bool(recorded[i]),
                float(week.kept[i]),
                bool(evidence.keeps[i]),
                0.0 if answer == NONE else next_week.saves(week, i, answer, question.rule.worth),
            )
        )
    return tuple(judged)


def on_recording(
    bench: Bench, question: Question, outcomes: Mapping[Run, CandidateOutcome]
) -> tuple[Judged, ...]:
    """Candidates of which only the recording itself was simulated."""
    unknown = Interval(math.nan, math.nan, math.nan)
    hours, allowed = float(bench.hours.sum()), question.objective.allowed
    return tuple(
        Judged(
            run,
            outcome,
            _obstacle(bench, run, outcome, question),
            simplicity.tier(run, question),
            unknown._replace(mean=float(outcome.totals.cost.sum()) / hours),
            unknown._replace(mean=1.0 - outcome.late),
            outcome.late <= allowed + _ROUNDING,
            math.nan,
            False,
            math.nan,
        )
        for run, outcome in outcomes.items()
    )


def ranked(judged: Sequence[Judged]) -> tuple[Judged, ...]:
    """The best first: those that keep the objective by cost, the others by what they lack."""

    def place(each: Judged) -> tuple[float, ...]:
        if each.keeps:
            return (0.0, round(each.cost.mean, 9), each.tier)
        if each.keeps_recording:
            return (1.0, -1.0 if math.isnan(each.probability) else -each.probability, each.tier)
        return (2.0, 1.0 - each.on_time.mean, each.cost.mean)

    return tuple(sorted(judged, key=place))


def _obstacle(bench: Bench, run: Run, outcome: CandidateOutcome, question: Question) -> str | None:
    if not run.consumers.is_kafkas:
        return "needs an assignor that Kafka does not have"
    needed = obstacles.obstacle(run.candidate, outcome.settings, question.target)
    for checks in (question.blind, question.survival):
        if needed is None and checks is not None:
            needed = checks.obstacle(bench, run)
    return needed
