"""The whole answer: what to deploy, what would change that, and the same without hot partitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from pipeline.base.progress import Progress
from pipeline.experiments.autoscaling.recommendation import (
    bad_hour,
    blind_hour,
    simplicity,
    survived_events,
    todays_group,
    what_if,
)
from pipeline.experiments.autoscaling.recommendation.bad_hour import BadHour
from pipeline.experiments.autoscaling.recommendation.blind_hour import BlindGroup
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import (
    Count,
    Run,
    load_kernels,
)
from pipeline.experiments.autoscaling.recommendation.changes import Change
from pipeline.experiments.autoscaling.recommendation.event_leaders import Contest
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation, answer
from pipeline.experiments.autoscaling.recommendation.simulation_plan import (
    RecommendationPlan,
    plan_without_hot,
)
from pipeline.inputs.traces.recorded_group import RecordedGroup


def whole(
    plan: RecommendationPlan,
    group: RecordedGroup | None = None,
    own: Sequence[tuple[str, Change]] = (),
    stream: TextIO | None = None,
) -> Recommendation:
    """Simulate all that an answer says.

    group: What the recording shows of today's group.
    own: Changes that the user asks for.
    stream: Where progress is shown; None for nowhere.
    """
    progress, loaded, simulated = Progress(stream=stream), Count(), Count()
    with progress.step("load strategies", loaded.look):
        load_kernels(plan.bench, plan.eligible, loaded)
    with progress.step("simulate", simulated.look):
        recommendation = answer(plan, simulated)
    checks = plan.question.survival
    if checks is not None:
        with progress.step("simulate without events to survive"):
            calm = answer(plan._replace(question=plan.question._replace(survival=None)))
        tried = recommendation.counts[0]
        recommendation = recommendation._replace(
            without_events=calm,
            surviving=survived_events.surviving_counts(checks, plan.bench, tried.kind, tried.kept),
        )
    if group is not None:
        kind = simplicity.in_use(plan.question)
        recorded = todays_group.compared(plan.bench, kind, group)
        recommendation = recommendation._replace(recorded=recorded)
    with progress.step("simulate a bad hour"):
        events = _bad_hour(plan, recommendation)
        blind = _blind_hour(plan, recommendation)
    recommendation = recommendation._replace(bad_hour=events, blind=blind)
    altered = Count()
    with progress.step("ask what would change it", altered.look):
        changed = what_if.tornado(plan, recommendation, altered, own)
    recommendation = recommendation._replace(changed=changed)
    cold = None if recommendation.is_met else plan_without_hot(plan)
    if cold is None:
        return recommendation
    again = Count()
    with progress.step("simulate without hot partitions", again.look):
        return recommendation._replace(without_hot=answer(cold, again))


def _blind_hour(plan: RecommendationPlan, recommendation: Recommendation) -> tuple[BlindGroup, ...]:
    if plan.question.blind is None:
        return ()
    runs = [each.run for each in recommendation.best_of_each if each.run.consumers.is_kafkas]
    return blind_hour.blind_hour(plan.bench, runs)


def _bad_hour(plan: RecommendationPlan, recommendation: Recommendation) -> BadHour:
    today, best = (
        None if judged is None else judged.run
        for judged in (recommendation.today, recommendation.answer)
    )
    question = plan.question
    contest = Contest(
        tuple(rivals(recommendation)), question.objective.allowed, question.rule.worth
    )
    return bad_hour.bad_hour(
        plan.bench, today, best, question.outage, question.retention_s, contest, question.spot
    )


def rivals(recommendation: Recommendation) -> Iterator[Run]:
    """What else may lead under an event: the best of each strategy, without the answer.

    Of those that can be deployed and keep the objective where the answer keeps it, in the order of
    the ranking.
    """
    answer = recommendation.answer
    if answer is None:
        return
    strategies: set[str] = set()
    for each in recommendation.ranked:
        strategy = each.run.candidate.strategy
        if each.obstacle is None and strategy not in strategies and _kept(each) >= _kept(answer):
            strategies.add(strategy)
            if each.run != answer.run:
                yield each.run


def _kept(judged: Judged) -> tuple[bool, bool]:
    return judged.keeps, judged.keeps_recording
