"""The groups that a page shows side by side: today's, the recommended one, KEDA's defaults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from pipeline.experiments.autoscaling.recommendation import candidate_outcomes
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.experiments.autoscaling.simulation.time_lag import behind

TODAY, RECOMMENDED, KAFKA, KEDA = "today", "recommended", "Kafka's default", "KEDA's defaults"


class Shown(NamedTuple):
    """A group of the page."""

    title: str
    judged: Judged
    replicas: Floats
    """``[N]``, paid replicas as each step ends."""
    behind_s: Floats
    """``[N]``, how far the group is behind what is written as each step ends, s: the age of the
    oldest event that waits if all partitions are read in the order of arrival."""


def titled(recommendation: Recommendation) -> Iterator[tuple[str, Judged]]:
    """What is compared, each with its title."""
    if recommendation.today is not None:
        yield TODAY, recommendation.today
    if recommendation.answer is not None:
        yield RECOMMENDED, recommendation.answer
    usual = [judged for _, judged in recommendation.usual]
    for title, strategy in ((KAFKA, "constant"), (KEDA, "keda_hpa")):
        yield title, next(each for each in usual if each.run.candidate.strategy == strategy)


def simulated(bench: Bench, recommendation: Recommendation) -> list[Shown]:
    """Simulate those whose capacity is drawn; Kafka's default is not, where today's group is."""
    groups = list(titled(recommendation))
    has_today = any(title == TODAY for title, _ in groups)
    drawn = [each for each in groups if not (has_today and each[0] == KAFKA)]
    step_s = bench.settings["step_s"]

    def shown(one: tuple[str, Judged]) -> Shown:
        title, judged = one
        settings = candidate_outcomes.settings_of(bench, judged.run)
        steps = candidate_outcomes.detailed_run(
            bench, judged.run.candidate, settings, has_latencies=False
        ).trajectory
        replicas = np.asarray(steps.replicas, np.float64)
        return Shown(title, judged, replicas, behind(steps.arrived, steps.lag, step_s))

    return candidate_outcomes.in_threads(shown, drawn)
