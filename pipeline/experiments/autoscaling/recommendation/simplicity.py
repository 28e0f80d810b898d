"""How simple it is to run a candidate: less simple ones must save enough to be recommended."""

from __future__ import annotations

from algorithms.autoscaling import strategies
from pipeline.experiments.autoscaling.recommendation import consumer_settings, time_lag_files
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Run
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.experiments.autoscaling.recommendation.recommendation_question import Question

(TODAY, CONSTANT, OTHER_CONSTANT, KEDA, OTHER_KEDA, PROMETHEUS, OTHER_PROMETHEUS, SCALER,
 OTHER_SCALER, CONTROLLER) = range(10)  # fmt: skip
"""Today's group; constant replicas with the consumers in use, and with others; likewise KEDA with
its trigger for Kafka, KEDA with that for Prometheus, and `groupscale scaler` behind KEDA; what only
a controller can run, ideal forms too. Other consumers are an operation of their own: two rolling
restarts."""


def in_use(question: Question) -> Consumers:
    """The consumers that the user says are in use, else those of Kafka's defaults."""
    if "assignor" in question.settings:
        return consumer_settings.compared(question.settings)[0]
    heartbeat = question.settings.get("heartbeat_s")
    default = consumer_settings.KAFKAS_DEFAULT
    return default if heartbeat is None else default._replace(heartbeat_s=heartbeat)


def tier(run: Run, question: Question) -> int:
    """How simple a candidate is, 0 for the simplest."""
    name, has_usual = run.candidate.strategy, run.consumers == in_use(question)
    if name == "constant":
        if not has_usual:
            return OTHER_CONSTANT
        is_today = run.candidate.settings.get("initial_replicas") == question.today
        return TODAY if is_today else CONSTANT
    if name == "keda_hpa":
        return KEDA if has_usual else OTHER_KEDA
    if name in ("keda_prometheus", time_lag_files.STRATEGY):
        return PROMETHEUS if has_usual else OTHER_PROMETHEUS
    if strategies.inner_of(name) is None or strategies.is_controlled(name):
        return CONTROLLER
    return SCALER if has_usual else OTHER_SCALER
