"""What is simulated to answer a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import candidate_grid
from algorithms.autoscaling.candidates import Candidate, candidate
from algorithms.core.arrays import Floats
from algorithms.core.input_errors import AlgorithmError
from algorithms.workloads import idle_times
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.recommendation import (
    candidate_outcomes,
    cluster_versions,
    recommendation_question,
    share_growth,
)
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench, Run
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.experiments.autoscaling.recommendation.recommendation_question import Question
from pipeline.inputs.traces import BYTES, hot_partitions

PROMETHEUS = "keda_prometheus"
"""Strategy that goes by shares that do not change."""

CONSTANT = Candidate("constant")
"""Stands for all numbers of replicas."""


class RecommendationPlan(NamedTuple):
    """What is simulated to answer a question; everything is checked."""

    question: Question
    """The question."""
    bench: Bench
    """What all simulations share."""
    eligible: tuple[Run, ...]
    """Candidates that can be recommended, each on each kind of consumers, without `constant`."""
    kinds: tuple[Consumers, ...]
    """The kinds of consumers."""
    has_constants: bool
    """Whether all constant numbers of replicas can be recommended too."""
    rates: Floats
    step_s: float
    """`rates`, `step_s`: the workload as it was given."""


def plan(rates: Floats, step_s: float, question: Question) -> RecommendationPlan:
    """Check a question, and list what is to be simulated.

    rates: Rates in events/s, finite and at least 0.
    """
    try:
        bench, kinds = recommendation_question.prepare(rates, step_s, question)
    except AlgorithmError as error:
        raise InputError(str(error)) from error
    considered = _considered(bench, question, idle_times.longest_s(rates, step_s))
    if any(each.strategy == PROMETHEUS for each in considered):
        question = _with_growth(question, rates, step_s, bench.topics, kinds)
    named = [each for each in considered if each != CONSTANT]
    eligible = candidate_outcomes.every(named, kinds)
    for run in eligible:
        candidate_outcomes.check(bench, run)
    return RecommendationPlan(
        question, bench, tuple(eligible), kinds, CONSTANT in considered, rates, step_s
    )


def _with_growth(
    question: Question,
    rates: Floats,
    step_s: float,
    topics: tuple[int, ...],
    kinds: tuple[Consumers, ...],
) -> Question:
    """The question, with how much the shares change."""
    growth = tuple(
        (assignor, share_growth.growth(rates, step_s, question.mu, assignor, topics))
        for assignor in dict.fromkeys(kind.assignor for kind in kinds)
    )
    return question._replace(target=question.target._replace(growth=growth))


def plan_without_hot(planned: RecommendationPlan) -> RecommendationPlan | None:
    """The same question about the workload without hot partitions.

    Returns: None if there are no hot partitions or no others with events, or if a candidate needs
        as many partitions as the whole workload has.
    """
    bench = planned.bench
    is_hot = hot_partitions.are_hot(planned.rates.max(axis=0), planned.question.mu)
    rates = planned.rates[:, ~is_hot]
    if not is_hot.any() or not rates.any():
        return None
    question = _bounded_alike(planned.question, rates.shape[1])._replace(
        topics=_topics_of(bench.topics, ~is_hot),
        labels=(),
        today=None,
    )
    try:
        return plan(rates, planned.step_s, question)
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


def _topics_of(topics: tuple[int, ...], stay: Any) -> tuple[int, ...]:
    """Partitions of each topic that stay; a topic without any is left out."""
    parts = np.split(np.asarray(stay, np.int64), np.cumsum(topics)[:-1])
    return tuple(int(part.sum()) for part in parts if part.any())


def _considered(bench: Bench, question: Question, idle_s: float) -> list[Candidate]:
    """The candidates among which one is recommended: those that the least replicas allow.

    idle_s: Longest time without events. Scale to zero is tried if that can come to something.

    Our controller is tried if the recording is in bytes/s, which it measures: no scaler can count
    its lag.
    """
    mu, wsla_s, least = (bench.settings[key] for key in ("mu", "wsla_s", "min_replicas"))
    named = question.candidates
    if not named:
        named = candidate_grid.compared(sum(bench.topics), mu, wsla_s)
        if idle_s > candidate_grid.ASLEEP_AFTER_S and "min_replicas" not in question.settings:
            named += candidate_grid.to_zero(named)
        if question.target.unit == BYTES:
            named += candidate_grid.controlled()
    candidates = [cluster_versions.on_cluster(each, question.target.cluster) for each in named]
    enough = [each for each in dict.fromkeys(candidates) if not _starts_below(each, least)]
    if not enough:
        first = candidates[0]
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
