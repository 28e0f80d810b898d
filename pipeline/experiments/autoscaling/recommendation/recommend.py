"""Which strategy serves a workload within an objective at the lowest cost, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from algorithms.autoscaling import candidate_grid
from algorithms.autoscaling.strategies import inner_of
from algorithms.core.arrays import Floats, Longs
from algorithms.inference.resampled_choice import ResampledChoice
from algorithms.inference.simplest_choice import NONE
from algorithms.inference.week_draws import FEWEST_STATED
from algorithms.workloads import more_partitions
from pipeline.experiments.autoscaling.recommendation import (
    candidate_outcomes,
    chosen_candidates,
    constant_counts,
    consumer_settings,
    deciding_partitions,
    judged_candidates,
    recommendation_question,
    screened_candidates,
    simplicity,
    survived_events,
    usual_groups,
)
from pipeline.experiments.autoscaling.recommendation.bad_hour import BadHour
from pipeline.experiments.autoscaling.recommendation.blind_hour import BlindGroup
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import (
    Bench,
    CandidateOutcome,
    Count,
    Run,
)
from pipeline.experiments.autoscaling.recommendation.changes import Changed
from pipeline.experiments.autoscaling.recommendation.chosen_candidates import Chosen
from pipeline.experiments.autoscaling.recommendation.constant_counts import (
    FACTORS,
    ConstantCounts,
    CountsTried,
)
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.experiments.autoscaling.recommendation.deciding_partitions import Splitting
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged, Weeks
from pipeline.experiments.autoscaling.recommendation.recommendation_question import (
    TRIED_WITHIN,
    Question,
)
from pipeline.experiments.autoscaling.recommendation.recorded_load import RecordedLoad, load_of
from pipeline.experiments.autoscaling.recommendation.refined_choice import Judgement
from pipeline.experiments.autoscaling.recommendation.simulation_plan import (
    PROMETHEUS,
    RecommendationPlan,
    plan,
)
from pipeline.experiments.autoscaling.recommendation.survived_events import SurvivingCounts
from pipeline.experiments.autoscaling.recommendation.todays_group import Today
from pipeline.inputs.traces import hot_partitions

_MOST_LOAD = 2.0


class Recommendation(NamedTuple):
    """The answer."""

    question: Question
    """What was asked."""
    settings: Mapping[str, Any]
    """Settings that all candidates share."""
    steps: int
    step_s: float
    """`steps`, `step_s`: steps of the simulated workload, and their length, s."""
    topics: tuple[int, ...]
    """Partitions of each topic."""
    edges: Longs
    """Days, in steps."""
    days: int
    """Whole days of the recording."""
    ranked: tuple[Judged, ...]
    """Candidates that could be recommended and were simulated in full, the best first."""
    answer: Judged | None
    """What to deploy; None if nothing can be."""
    usual: tuple[tuple[str, Judged], ...]
    """What is deployed by default, each with its name."""
    today: Judged | None
    """The group that is there now; None if it is not known."""
    cheapest: Judged | None
    """The cheapest that can be deployed and keeps the objective, where it is not the answer: a
    simpler one is as good."""
    counts: tuple[CountsTried, ...]
    """Which constant numbers of replicas are enough, by kind of consumers."""
    again: ResampledChoice
    """How the same choice does on days that it has not seen."""
    tried: int
    """Candidates that were tried."""
    hot: int = 0
    """Number of hot partitions: those that are faster than one consumer."""
    splitting: Splitting | None = None
    """Partitions that decide the size, and what splitting them would save."""
    one_key: float = 0.0
    """Greatest rate that a single key may have, events/s: what a partition gets above the median.
    """
    changed: tuple[Changed, ...] = ()
    """The answer after one change at a time, if that was asked for."""
    recorded: Today | None = None
    """What the recording shows of today's group."""
    within: tuple[tuple[float, CountsTried], ...] = ()
    """Constant numbers of replicas that are enough with some variations of the load within a
    recorded step, with the consumers in use; none where its bursts do not count."""
    without_hot: Recommendation | None = None
    """The answer without them; None if there are none, or it was not asked for."""
    load: RecordedLoad | None = None
    """The load of the recording."""
    bad_hour: BadHour | None = None
    """What events do to today's group and to the answer at the busiest hour, if that was asked for.
    """
    blind: tuple[BlindGroup, ...] = ()
    """What the best candidate of each strategy does when blind, if that was asked for."""
    surviving: SurvivingCounts | None = None
    """Constant replicas that survive the events of `--survive`, if some are asked for."""
    without_events: Recommendation | None = None
    """The answer without them."""
    constants: ConstantCounts | None = None
    """Lateness of constant groups, as far as it was computed."""

    @property
    def is_met(self) -> bool:
        """Whether the answer keeps the objective: in the next week, where that can be said."""
        if self.answer is None:
            return False
        return self.answer.keeps or (not self.is_stated and self.answer.keeps_recording)

    @property
    def ideal(self) -> Judged | None:
        """The best of the same strategy without KEDA, where the answer runs behind it."""
        name = "" if self.answer is None else self.answer.run.candidate.strategy
        own = "headroom" if name == PROMETHEUS else inner_of(name)
        alike = (each for each in self.ranked if each.run.candidate.strategy == own)
        return next(alike, None)

    @property
    def fits(self) -> bool:
        """Whether the simulation of today's group fits what is recorded of it."""
        return self.recorded is None or self.recorded.fits

    @property
    def is_stated(self) -> bool:
        """Whether there are enough days to state a chance."""
        return self.days >= FEWEST_STATED

    @property
    def best_of_each(self) -> list[Judged]:
        """The answer and the best candidate of each strategy, in order."""
        best: dict[str, Judged] = {}
        for each in self.ranked:
            best.setdefault(each.run.candidate.strategy, each)
        answer, winners = self.answer, list(best.values())
        if answer is None or any(each.run == answer.run for each in winners):
            return winners
        return [answer, *winners]

    @property
    def best(self) -> Judged:
        """The best candidate, whether it can be deployed or not."""
        return self.ranked[0]

    @property
    def partitions(self) -> int:
        """Partitions of all topics."""
        return sum(self.topics)


def recommend(
    rates: Floats, step_s: float, question: Question, count: Count | None = None
) -> Recommendation:
    """Simulate all candidates on a workload, and choose the cheapest within the objective.

    rates, step_s, question, count: As for `plan` and `answer`.
    """
    return answer(plan(rates, step_s, question), count)


def answer(plan: RecommendationPlan, count: Count | None = None) -> Recommendation:
    """Try what a plan lists, and choose. count: Counts simulations, to display progress."""
    question, bench = plan.question, plan.bench
    progress = Count() if count is None else count
    weeks = judged_candidates.drawn_weeks(bench, question)
    constants = ConstantCounts(bench, question.objective.allowed, progress)
    in_use = simplicity.in_use(question)
    kinds = list(dict.fromkeys((in_use, *plan.kinds, *consumer_settings.COMPARED)))

    def tried_of(kind: Consumers) -> CountsTried:
        return constants.tried(kind, weeks.draws, question.rule.confidence)

    first = tried_of(in_use)
    # Side by side, so that no core is idle while the longest simulation of one part ends.
    with ThreadPoolExecutor() as pool:
        of_others = pool.submit(_others, plan, first, progress)
        of_kinds = pool.submit(candidate_outcomes.in_threads, tried_of, kinds[1:])
        of_keda = pool.submit(usual_groups.kedas, bench, progress)
        of_bursts = pool.submit(_within, plan, first, progress)
    others, rows = of_others.result()
    counts = (first, *of_kinds.result())
    within = of_bursts.result()
    rows |= _constant_rows(plan, constants, counts)
    usual = dict(usual_groups.named(bench, constants, counts))
    for run in (*usual.values(), *chosen_candidates.todays(question)):
        if run not in rows:
            rows[run] = of_keda.result().get(run) or _constant_row(constants, run)
    rows = chosen_candidates.all_with_latencies(bench, rows)
    number = sum(each.most - each.least + 1 for each in counts) + len(plan.eligible)
    judged_first = len(rows)
    shown = {*usual.values(), *chosen_candidates.todays(question)}
    placed = constants.placed(rows, weeks.draws, question.rule.confidence, shown)
    chosen = Chosen(plan, weeks, rows, placed, _load(counts[0]), progress)
    judgement = chosen.refined()
    number += len(rows) - judged_first
    answered = _answered(plan, weeks, judgement, (usual, counts, others, number))
    return answered._replace(within=within, constants=constants)


def _within(
    plan: RecommendationPlan, first: CountsTried, count: Count
) -> tuple[tuple[float, CountsTried], ...]:
    """Constant numbers that are enough with some variations of the load within a step."""
    question = plan.question
    if not recommendation_question.has_bursts_within(question, plan.step_s):
        return ()

    def tried(variation: float) -> tuple[float, CountsTried]:
        if variation == question.within_step:
            return variation, first
        bench, _ = recommendation_question.prepare(
            plan.rates, plan.step_s, question._replace(within_step=variation)
        )
        weeks = judged_candidates.drawn_weeks(bench, question)
        constants = ConstantCounts(bench, question.objective.allowed, count)
        return variation, constants.tried(first.kind, weeks.draws, question.rule.confidence)

    variations = dict.fromkeys((*TRIED_WITHIN, question.within_step))
    return tuple(candidate_outcomes.in_threads(tried, variations))


def _others(
    plan: RecommendationPlan, first: CountsTried, count: Count
) -> tuple[dict[Run, CandidateOutcome], dict[Run, list[CandidateOutcome]]]:
    """Candidates but for constant ones: those simulated in full, and the best at all loads."""
    bench, allowed = plan.bench, plan.question.objective.allowed
    factor = _load(first)
    runs = screened_candidates.screened(bench, plan.eligible, factor, allowed, count)
    outcomes = candidate_outcomes.run_all(bench, runs, count, has_latencies=True)
    best = screened_candidates.finalists(outcomes, allowed)
    rows = candidate_outcomes.at_factors(bench, best, FACTORS, outcomes, count)
    return outcomes, rows


def _load(first: CountsTried) -> float:
    """Factor on the load for which a constant group would have to be sized."""
    if not first.kept or first.lasting is None:
        return 1.0
    return min(first.lasting / first.kept[0], _MOST_LOAD)


def _constant_rows(
    plan: RecommendationPlan, constants: ConstantCounts, counts: tuple[CountsTried, ...]
) -> dict[Run, list[CandidateOutcome]]:
    """Constant groups that may be recommended: the least that is enough, and that lasts."""
    if not plan.has_constants:
        return {}
    return {
        Run(candidate_grid.constant(n), tried.kind): [
            constants.at(tried.kind, n, factor) for factor in FACTORS
        ]
        for tried in counts
        if tried.kind in plan.kinds
        for n in (tuple(_numbers(plan, tried)) or (tried.most,))
    }


def _numbers(plan: RecommendationPlan, tried: CountsTried) -> Iterator[int]:
    """Those without events, and the least that survives them if that is asked for."""
    yield from constant_counts.numbers(tried)
    n = survivor(plan.bench, plan.question, tried)
    if n is not None:
        yield n


def survivor(bench: Bench, question: Question, tried: CountsTried) -> int | None:
    """Least constant replicas that survive all events; None if there are none to survive."""
    checks = question.survival
    if checks is None:
        return None
    numbers = tuple(survived_events.numbers_from(tried.kept, tried.lasting))
    return checks.least(bench, tried.kind, numbers, checks.events)


def _constant_row(constants: ConstantCounts, run: Run) -> list[CandidateOutcome]:
    replicas: int = run.candidate.settings["initial_replicas"]
    return [constants.at(run.consumers, replicas, factor) for factor in FACTORS]


def _answered(
    plan: RecommendationPlan,
    weeks: Weeks,
    judgement: Judgement,
    facts: tuple[dict[str, Run], tuple[CountsTried, ...], dict[Run, CandidateOutcome], int],
) -> Recommendation:
    question, bench = plan.question, plan.bench
    usual, counts, others, tried = facts
    evidence, (pick, cheapest) = judgement
    may = chosen_candidates.may_be_chosen(plan, evidence)
    deployable = chosen_candidates.are_deployable(plan, evidence)
    best = pick if pick != NONE else judged_candidates.closest(evidence, plan.question, deployable)
    judged = dict(
        zip(evidence.runs, judged_candidates.judge(evidence, question, best), strict=True)
    )
    rest = {run: outcome for run, outcome in others.items() if run not in judged}
    candidates = [judged[run] for run, is_one in zip(evidence.runs, may, strict=True) if is_one]
    candidates += judged_candidates.on_recording(bench, question, rest)
    today = next(chosen_candidates.todays(question), None)
    return Recommendation(
        question,
        bench.settings,
        len(bench.rates),
        bench.settings["step_s"],
        bench.topics,
        bench.edges,
        weeks.days,
        judged_candidates.ranked(candidates),
        None if best == NONE else judged[evidence.runs[best]],
        tuple((name, judged[run]) for name, run in usual.items()),
        None if today is None else judged[today],
        judged[evidence.runs[cheapest]] if cheapest not in (pick, NONE) else None,
        counts,
        judged_candidates.choice_again(evidence, question, weeks, deployable),
        tried,
        hot=hot_partitions.count(plan.rates.max(axis=0), question.mu),
        load=load_of(plan.rates, question.labels),
        one_key=more_partitions.hottest_share(bench.rates, bench.topics),
        splitting=deciding_partitions.splitting(
            bench, question, next(iter(counts[0].kept), None), plan.rates
        ),
    )
