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


def behind(arrived: Floats, lag: Floats, step_s: float) -> Floats:
    """How long ago what is read next has arrived, s.

    arrived, lag: ``[N]``, events that arrive in each step, and events that wait as it ends.

    >>> behind(np.array([10.0, 10.0, 10.0]), np.array([0.0, 5.0, 15.0]), 2.0).tolist()
    [0.0, 1.0, 3.0]
    """
    ends = np.arange(len(arrived) + 1) * step_s
    written = np.concatenate([[0.0], np.cumsum(arrived)])
    read = np.clip(written[1:] - lag, 0.0, None)
    waits = lag > 1e-9
    # The last time at which no more than this was written: times without events do not count.
    at = np.interp(read, written, ends)
    result: Floats = np.where(waits, np.maximum(ends[1:] - at, 0.0), 0.0)
    return result
