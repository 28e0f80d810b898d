"""The choice among the candidates that are simulated: refined, and with placements as drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from algorithms.autoscaling import candidate_grid
from algorithms.core.arrays import Bools
from algorithms.inference.simplest_choice import NONE
from pipeline.experiments.autoscaling.recommendation import (
    candidate_outcomes,
    drawn_histories,
    judged_candidates,
    refined_choice,
    simplicity,
)
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import (
    Bench,
    CandidateOutcome,
    Count,
    Run,
)
from pipeline.experiments.autoscaling.recommendation.constant_counts import FACTORS
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Evidence, Weeks
from pipeline.experiments.autoscaling.recommendation.recommendation_question import Question
from pipeline.experiments.autoscaling.recommendation.refined_choice import Judgement
from pipeline.experiments.autoscaling.recommendation.simulation_plan import RecommendationPlan

_RECORDED = FACTORS.index(1.0)


class Chosen:
    """The choice among all candidates that are simulated so far."""

    def __init__(
        self,
        plan: RecommendationPlan,
        weeks: Weeks,
        rows: dict[Run, list[CandidateOutcome]],
        placed: dict[Run, list[list[CandidateOutcome]]],
        load: float,
        count: Count,
    ) -> None:
        self.plan, self.weeks, self.rows, self.placed = plan, weeks, rows, placed
        self.load, self.count = load, count

    def refined(self) -> Judgement:
        """The choice, refined around its winner."""
        return refined_choice.refined(self.judged(), self.plan.eligible, self.judged)

    def judged(self, more: tuple[Run, ...] = ()) -> Judgement:
        """The choice after simulating further candidates; its winner is placed as drawn.

        Without a winner, that is what comes closest: one history would flatter it.
        """
        plan, bench, count = self.plan, self.plan.bench, self.count
        new = [run for run in more if run not in self.rows]
        for run, row in candidate_outcomes.at_factors(bench, new, FACTORS, {}, count).items():
            self.rows[run] = with_latencies(bench, row, run)
        while True:
            evidence = judged_candidates.gather(
                bench, plan.question, self.weeks, self.rows, self.placed
            )
            deployable = are_deployable(plan, evidence)
            choice = judged_candidates.choice(evidence, plan.question, deployable)
            best = choice.pick
            if best == NONE:
                best = judged_candidates.closest(evidence, plan.question, deployable)
            if best == NONE:
                return Judgement(evidence, choice)
            run = evidence.runs[best]
            if run in self.placed or not drawn_histories.are_drawn(bench, run):
                return Judgement(evidence, choice)
            load = self.load, plan.question.objective.allowed
            self.placed[run] = drawn_histories.placed(bench, run, self.rows[run], load, count)


def may_be_chosen(plan: RecommendationPlan, evidence: Evidence) -> Bools:
    """Which were asked for: what is deployed by default is simulated in any case."""
    alike = {refined_choice.without_value(run) for run in plan.eligible}
    today = set(todays(plan.question))
    return np.array(
        [
            run in today
            or (
                run.consumers in plan.kinds
                if run.candidate.strategy == "constant" and plan.has_constants
                else refined_choice.without_value(run) in alike
            )
            for run in evidence.runs
        ]
    )


def are_deployable(plan: RecommendationPlan, evidence: Evidence) -> Bools:
    """Which of them can be deployed."""
    is_free = np.array([each is None for each in evidence.obstacles])
    may: Bools = may_be_chosen(plan, evidence) & is_free
    return may


def all_with_latencies(
    bench: Bench, rows: Mapping[Run, list[CandidateOutcome]]
) -> dict[Run, list[CandidateOutcome]]:
    """All rows, each as `with_latencies` completes it."""
    completed = candidate_outcomes.in_threads(
        lambda each: with_latencies(bench, each[1], each[0]), rows.items()
    )
    return dict(zip(rows, completed, strict=True))


def with_latencies(bench: Bench, row: list[CandidateOutcome], run: Run) -> list[CandidateOutcome]:
    """The same with the 99th percentile of the latency on the recording."""
    recorded = row[_RECORDED]
    if not np.isnan(recorded.p99_s):
        return row
    p99_s = candidate_outcomes.simulated(bench, run).p99_s
    return [*row[:_RECORDED], recorded._replace(p99_s=p99_s), *row[_RECORDED + 1 :]]


def todays(question: Question) -> Iterator[Run]:
    """The group that is there now, if it is known."""
    if question.today is not None:
        yield Run(candidate_grid.constant(question.today), simplicity.in_use(question))
