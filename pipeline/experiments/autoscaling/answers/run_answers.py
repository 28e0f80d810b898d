"""Recommendations for the recorded workloads of a run, with the settings of its experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from algorithms.simulation.group_settings import DEFAULTS
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.answers import answer_files, recommendation_text
from pipeline.experiments.autoscaling.recommendation import (
    manifests,
    recommendation_question,
    whole_answer,
)
from pipeline.experiments.autoscaling.recommendation.blind_hour import BlindChecks
from pipeline.experiments.autoscaling.recommendation.recommendation_question import (
    OPTIONS,
    Question,
)
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from pipeline.experiments.autoscaling.recommendation.simulation_plan import plan
from pipeline.experiments.autoscaling.sections.scaling_study import GOAL
from pipeline.experiments.autoscaling.workloads.workload import Workload
from pipeline.settings import strategy_names

if TYPE_CHECKING:
    from algorithms.autoscaling.candidates import Candidate
    from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
    from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
    from pipeline.settings.scaling_experiment import ScalingExperiment


FIGURES = (
    *("answer", "assignor", "on_time_percent", "chance"),
    *("replicas", "most_replicas"),
)
"""Columns of `recommendations` on the group to deploy."""


class RunAnswer(NamedTuple):
    """What is recommended for an experiment."""

    row: dict[str, Any]
    """Its row of `recommendations`."""
    page: str
    """The page as HTML; empty where the question has no answer."""


def question_of(experiment: ScalingExperiment, workload: Workload, seed: int) -> Question:
    """What `groupscale recommend` would be asked: its settings that are not the defaults."""
    group = {
        name: value
        for name, value in (experiment.group | {"seed": seed}).items()
        if name not in (*OPTIONS, "step_s") and value != DEFAULTS[name]
    }
    named = [(topic.name, topic.partitions) for topic in workload.topics]
    return Question(
        Objective(GOAL, experiment.wsla_s),
        experiment.mu,
        settings=group,
        candidates=_candidates(experiment),
        topics=workload.sizes,
        labels=workload.labels,
        averaged_s=workload.averaged_s,
        started_at=workload.started_at,
        target=manifests.of_recording(manifests.Target(), named, workload.unit),
        blind=BlindChecks(),
    )


def _candidates(experiment: ScalingExperiment) -> tuple[Candidate, ...]:
    """Those that the run names; all that `groupscale recommend` tries if it names none."""
    sizes = (experiment.partitions, experiment.mu, experiment.wsla_s, experiment.group["step_s"])
    if experiment.strategies == strategy_names.resolve(f"{strategy_names.ALL}:sweep", *sizes):
        return ()
    return tuple(strategy_names.candidates_of(experiment.strategies))


def answer(experiment: ScalingExperiment, workload: Workload, seed: int) -> RunAnswer:
    """Recommend for a recorded workload, as the same command would.

    What Kafka or a recommendation cannot have is said in place of the decision.
    """
    try:
        question = question_of(experiment, workload, seed)
        recommendation_question.check_given(question.settings, question.candidates)
        planned = plan(workload.rates, workload.step_s, question)
    except InputError as error:
        row = {"decision": f"No recommendation: {error}.", "is_kept": False, **_figures(None)}
        return RunAnswer({"experiment": experiment.name, **row}, "")
    recommendation = whole_answer.whole(planned)
    content = (recommendation, planned.bench, workload)
    if recommendation.is_met:
        page = answer_files.texts(*content, commits="auto")[answer_files.PAGE]
    else:
        page = answer_files.page(*content, files={})
    return RunAnswer({"experiment": experiment.name, **_row(recommendation)}, page)


def _row(recommendation: Recommendation) -> dict[str, Any]:
    decision, *_ = recommendation_text.decision(recommendation)
    return {
        "decision": decision,
        "is_kept": recommendation.is_met,
        **_figures(recommendation.answer, recommendation.is_stated),
    }


def _figures(judged: Judged | None, is_stated: bool = False) -> dict[str, Any]:
    """What is known of the group to deploy; nothing without one."""
    if judged is None:
        return dict.fromkeys(FIGURES)
    outcome = judged.outcome
    values = (
        *(judged.run.candidate.label, judged.run.consumers.assignor),
        *(100.0 * judged.on_time.mean, judged.probability if is_stated else None),
        *(outcome.replicas, outcome.peak),
    )
    return dict(zip(FIGURES, values, strict=True))
