"""Which strategy serves a workload within an objective at the lowest cost, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from algorithms.autoscaling import candidate_grid
from algorithms.autoscaling.candidates import Candidate, candidate
from algorithms.core.arrays import Floats, Longs
from algorithms.core.input_errors import AlgorithmError
from algorithms.inference.cheapest_within import HeldOut
from pipeline.autoscaling.recommendation import (
    candidate_outcomes,
    consumer_settings,
    judged_candidates,
    recommendation_question,
)
from pipeline.autoscaling.recommendation.candidate_outcomes import (
    Bench,
    CandidateOutcome,
    Count,
    Run,
)
from pipeline.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.autoscaling.recommendation.judged_candidates import Evidence, Judged
from pipeline.autoscaling.recommendation.recommendation_question import Question
from pipeline.errors import InputError
from pipeline.traces import hot_partitions

_CONSTANT, _KEDA = Candidate("constant"), Candidate("keda_hpa")


class Recommendation(NamedTuple):
    """The answer.

    Attributes
    ----------
    question : Question
        What was asked.
    settings : mapping
        Settings that all candidates share.
    steps, step_s, partitions : int, float, int
        Size of the simulated workload, and the length of its steps, s.
    edges : int64[n + 1]
        Blocks of steps.
    ranked : tuple of Judged
        Candidates that could be recommended, the best first.
    answer : Judged or None
        The best one that can be deployed; None if none can.
    usual : tuple of (str, Judged)
        What is deployed by default, each with its name.
    held_out : HeldOut
        How well choosing among the deployable ones does on blocks that it has not seen.
    hot : int
        Number of hot partitions: those that are faster than one consumer.
    without_hot : Recommendation or None
        The answer without them; None if there are none, or it was not asked for.
    """

    question: Question
    settings: Mapping[str, Any]
    steps: int
    step_s: float
    partitions: int
    edges: Longs
    ranked: tuple[Judged, ...]
    answer: Judged | None
    usual: tuple[tuple[str, Judged], ...]
    held_out: HeldOut
    hot: int = 0
    without_hot: Recommendation | None = None

    @property
    def is_met(self) -> bool:
        """Whether the answer keeps the objective."""
        return self.answer is not None and self.answer.keeps

    @property
    def best(self) -> Judged:
        """The best candidate, whether it can be deployed or not."""
        return self.ranked[0]


class Plan(NamedTuple):
    """What is simulated to answer a question; everything is checked.

    Attributes
    ----------
    question : Question
        The question.
    bench : Bench
        What all simulations share.
    eligible : tuple of Run
        Candidates that can be recommended, each on each kind of consumers.
    kinds : tuple of Consumers
        The kinds of consumers.
    """

    question: Question
    bench: Bench
    eligible: tuple[Run, ...]
    kinds: tuple[Consumers, ...]


def recommend(
    rates: Floats, step_s: float, question: Question, count: Count | None = None
) -> Recommendation:
    """Simulate all candidates on a workload, and choose the cheapest within the objective.

    Parameters
    ----------
    rates, step_s, question, count
        As for `plan` and `answer`.

    Raises
    ------
    InputError
        As `plan` does.
    """
    return answer(plan(rates, step_s, question), count)


def plan(rates: Floats, step_s: float, question: Question) -> Plan:
    """Check a question, and list what is to be simulated.

    Parameters
    ----------
    rates : float64[N, P]
        Rates in events/s, finite and at least 0.
    step_s : float
        Length of a step, s.
    question
        Objective, prices and settings.

    Raises
    ------
    InputError
        If a value is out of bounds, a strategy is unknown or refuses an argument.
    """
    try:
        bench, kinds = recommendation_question.prepare(rates, step_s, question)
    except AlgorithmError as error:
        raise InputError(str(error)) from error
    eligible = candidate_outcomes.every(_considered(bench, question), kinds)
    for run in eligible:
        candidate_outcomes.check(bench, run)
    return Plan(question, bench, tuple(eligible), kinds)


def plan_without_hot(planned: Plan) -> Plan | None:
    """The same question about the workload without hot partitions.

    Parameters
    ----------
    planned
        From `plan`.

    Returns
    -------
    Plan or None
        None if there are no hot partitions or no others with events, or if a candidate needs as
        many partitions as the whole workload has.
    """
    bench = planned.bench
    rates = bench.rates[:, ~hot_partitions.are_hot(bench.peaks, planned.question.mu)]
    if rates.shape[1] == bench.peaks.size or not rates.any():
        return None
    question = _bounded_alike(planned.question, rates.shape[1])
    try:
        return plan(rates, bench.settings["step_s"], question)
    except InputError:
        return None


def _bounded_alike(question: Question, partitions: int) -> Question:
    """The question for fewer partitions, with all numbers of replicas that it names allowed."""
    most = max(partitions, _named(question.settings))
    return question._replace(
        settings={"max_replicas": most, **question.settings},
        candidates=tuple(
            one
            if _named(one.settings) <= most or "max_replicas" in one.settings
            else candidate(one.strategy, **dict(one.parameters), max_replicas=_named(one.settings))
            for one in question.candidates
        ),
    )


def _named(settings: Mapping[str, Any]) -> int:
    most: int = max(settings.get(key, 0) for key in ("min_replicas", "initial_replicas"))
    return most


def answer(plan: Plan, count: Count | None = None) -> Recommendation:
    """Simulate what a plan lists, and choose.

    Parameters
    ----------
    plan
        From `plan`.
    count
        Counts simulations, for a display of progress.
    """
    question, bench, eligible, kinds = plan
    progress = Count() if count is None else count
    runs = dict.fromkeys((*eligible, *_usual_runs(bench)))
    outcomes = candidate_outcomes.run_all(bench, list(runs), progress)
    further = candidate_outcomes.narrowed(bench, outcomes, question.objective.percent, progress)
    if not question.candidates or _CONSTANT in question.candidates:
        eligible += tuple(run for run in further if run.consumers in kinds)
    return _answered(question, bench, eligible, outcomes | further)


def _considered(bench: Bench, question: Question) -> list[Candidate]:
    """The candidates among which one is recommended: those that the least replicas allow."""
    mu, wsla_s, least = (bench.settings[key] for key in ("mu", "wsla_s", "min_replicas"))
    given = question.candidates or candidate_grid.compared(_most(bench), mu, wsla_s, max(least, 1))
    every: dict[Candidate, None] = {}
    for each in given:
        every.update(dict.fromkeys(_constants(bench) if each == _CONSTANT else (each,)))
    enough = [each for each in every if not _starts_below(each, least)]
    if not enough:
        first = next(iter(every))
        own = first.settings.get("min_replicas", least)
        raise InputError(
            f"--strategy {first.label}: initial_replicas must be at least min_replicas, {own:,} "
            f"(got {first.settings['initial_replicas']}); raise initial_replicas or lower "
            "min_replicas"
        )
    return enough


def _starts_below(one: Candidate, least: int) -> bool:
    """Whether it starts with fewer replicas than it may have; other types are checked later."""
    start, own = one.settings.get("initial_replicas"), one.settings.get("min_replicas", least)
    return isinstance(start, int) and isinstance(own, int) and start < own


def _most(bench: Bench) -> int:
    """Most constant replicas of interest: one per partition, unless the group must have more."""
    least: int = bench.settings["min_replicas"]
    most: int = bench.settings["max_replicas"]
    partitions: int = bench.rates.shape[1]
    return max(min(partitions, most), least)


def _constants(bench: Bench) -> tuple[Candidate, ...]:
    """Constant numbers of replicas within the bounds of the group, at least 1."""
    return candidate_grid.constants(_most(bench), max(bench.settings["min_replicas"], 1))


def _usual_runs(bench: Bench) -> Iterator[Run]:
    """What is deployed by default: constant replicas, and KEDA as it comes."""
    usual = (*_constants(bench), _KEDA)
    for kind in consumer_settings.COMPARED:
        yield from (Run(candidate, kind) for candidate in usual)


def _answered(
    question: Question,
    bench: Bench,
    eligible: Sequence[Run],
    outcomes: Mapping[Run, CandidateOutcome],
) -> Recommendation:
    evidence = judged_candidates.gather(
        bench, outcomes, question.objective.allowed, question.target
    )
    ranked = evidence.among(eligible)
    deployable = evidence.deployable(ranked)
    best = int(deployable[0] if deployable.size else ranked[0])
    judged = judged_candidates.judge(evidence, best, deployable)
    return Recommendation(
        question,
        bench.settings,
        *(len(bench.rates), bench.settings["step_s"], bench.rates.shape[1]),
        bench.edges,
        tuple(judged[i] for i in ranked),
        judged[best] if deployable.size else None,
        tuple((name, judged[i]) for name, i in _usual(bench, evidence)),
        evidence.held_out(deployable),
        hot=hot_partitions.count(bench.peaks, question.mu),
    )


def _usual(bench: Bench, evidence: Evidence) -> Iterator[tuple[str, int]]:
    """Positions of what is deployed by default, with a name for each."""
    runs = evidence.runs
    for kind in consumer_settings.COMPARED:
        constants = evidence.among(
            run for run in runs if run.consumers == kind and run.candidate.strategy == "constant"
        )
        yield f"constant replicas, {kind.assignor}", int(constants[0])
    default = consumer_settings.KAFKAS_DEFAULT
    full = Run(candidate_grid.constant(_most(bench)), default)
    yield f"{_full_name(bench)}, {default.assignor}", runs.index(full)
    for kind in consumer_settings.COMPARED:
        yield f"KEDA's defaults, {kind.assignor}", runs.index(Run(_KEDA, kind))


def _full_name(bench: Bench) -> str:
    """Name of `_most` constant replicas."""
    partitions, most = bench.rates.shape[1], _most(bench)
    if most == partitions:
        return "one replica per partition"
    return "max_replicas" if most < partitions else "min_replicas"
