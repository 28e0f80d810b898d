"""What would change the answer: the same rule after one change at a time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from algorithms.autoscaling import candidate_grid
from algorithms.autoscaling.candidates import Candidate
from algorithms.inference.simplest_choice import NONE
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.recommendation import (
    candidate_outcomes,
    changes,
    constant_counts,
    judged_candidates,
    recommend,
    simplicity,
    simulation_plan,
)
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Count, Run
from pipeline.experiments.autoscaling.recommendation.changes import Change, Changed
from pipeline.experiments.autoscaling.recommendation.constant_counts import FACTORS, ConstantCounts
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.experiments.autoscaling.recommendation.simulation_plan import RecommendationPlan


def tornado(
    plan: RecommendationPlan,
    recommendation: Recommendation,
    count: Count,
    own: Iterable[tuple[str, Change]] = (),
) -> tuple[Changed, ...]:
    """The answer after each change of `changes.TORNADO`, and those that the user asks about.

    Constant replicas are tried again. Of the others, the answer is simulated again, or the best one
    that can be deployed, keeps the objective and costs no more than the answer. Times of start-up
    and moves change nothing without one.

    plan, recommendation: The question, and its answer.
    own: Further changes, each with a name.
    """
    others = _others(recommendation)
    asked = [
        (name, change)
        for name, change in (*own, *changes.TORNADO)
        if others or change._replace(startup=1.0, wait=1.0) != Change()
    ]

    def answered(named: tuple[str, Change]) -> Changed | None:
        try:
            return _changed(*named, plan, recommendation, others, count)
        except InputError:
            # Such as a load beyond what numbers can count.
            return None

    return tuple(
        each for each in candidate_outcomes.in_threads(answered, asked) if each is not None
    )


def _others(recommendation: Recommendation) -> tuple[Candidate, ...]:
    """The answer if it scales, else the best that does, can be deployed and costs no more."""
    answer = recommendation.answer
    if answer is not None and answer.run.candidate.strategy != "constant":
        return (answer.run.candidate,)
    most = float("inf") if answer is None else answer.cost.mean
    return tuple(
        each.run.candidate
        for each in recommendation.ranked
        if each.keeps
        and each.obstacle is None
        and each.run.candidate.strategy != "constant"
        and each.cost.mean <= most
    )[:1]


def _changed(
    name: str,
    change: Change,
    plan: RecommendationPlan,
    recommendation: Recommendation,
    others: tuple[Candidate, ...],
    count: Count,
) -> Changed:
    bench = plan.bench
    asked = plan.question._replace(topics=bench.topics)
    rates, question = changes.changed(change, plan.rates, asked, bench.settings)
    candidates = (Candidate("constant"), *others)
    new = simulation_plan.plan(rates, plan.step_s, question._replace(candidates=candidates))
    answer = recommendation.answer
    kind = simplicity.in_use(new.question)
    if answer is not None and "assignor" not in question.settings:
        kind = answer.run.consumers._replace(heartbeat_s=_heartbeat(answer, change))
    weeks = judged_candidates.drawn_weeks(new.bench, new.question)
    constants = ConstantCounts(
        new.bench, new.question.objective.allowed, count, recommendation.constants
    )
    tried = constants.tried(kind, weeks.draws, new.question.rule.confidence)
    rows = {
        Run(candidate_grid.constant(n), kind): [constants.at(kind, n, f) for f in FACTORS]
        for n in (tuple(constant_counts.numbers(tried)) or (tried.most,))
    }
    survivor = recommend.survivor(new.bench, new.question, tried)
    if survivor is not None:
        run = Run(candidate_grid.constant(survivor), kind)
        rows[run] = [constants.at(kind, survivor, f) for f in FACTORS]
    runs = [Run(each, kind) for each in others]
    rows |= candidate_outcomes.at_factors(new.bench, runs, FACTORS, {}, count)
    placed = constants.placed(rows, weeks.draws, new.question.rule.confidence)
    evidence = judged_candidates.gather(new.bench, new.question, weeks, rows, placed)
    may = np.array([each is None for each in evidence.obstacles])
    pick, _ = judged_candidates.choice(evidence, new.question, may)
    if pick == NONE:
        return Changed(name, None, tried)
    return Changed(name, judged_candidates.judge(evidence, new.question, pick)[pick], tried)


def _heartbeat(answer: Judged, change: Change) -> float:
    return answer.run.consumers.heartbeat_s * change.wait
