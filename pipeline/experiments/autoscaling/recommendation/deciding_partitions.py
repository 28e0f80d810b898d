"""Partitions that decide the size of a group: nearly hot ones, and those far above the mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats
from pipeline.experiments.autoscaling.recommendation import simplicity
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench, Count
from pipeline.experiments.autoscaling.recommendation.constant_counts import ConstantCounts
from pipeline.experiments.autoscaling.recommendation.recommendation_question import Question

NEAR, ABOVE = 0.7, 3.0
"""Share of ``mu`` at its peak, or of the mean share of the events, above which one is named."""


class Deciding(NamedTuple):
    """A partition that decides the size."""

    column: int
    """Its column."""
    peak: float
    """Its greatest rate, as a multiple of ``mu``."""
    share: float
    """Its events, as a multiple of the mean partition's."""


class Splitting(NamedTuple):
    """What splitting such partitions in two would save."""

    partitions: tuple[Deciding, ...]
    """The partitions, the fastest first."""
    before: int | None
    after: int | None
    """`before`, `after`: least constant replicas that keep the objective on the recording, with the
    consumers in use; None if none do."""


def deciding(rates: Floats, mu: float) -> tuple[Deciding, ...]:
    """Partitions above `NEAR` of a consumer's rate or `ABOVE` the mean, the fastest first."""
    peaks, means = rates.max(axis=0) / mu, rates.mean(axis=0)
    shares = means / max(float(means.mean()), 1e-300)
    order = np.argsort(-peaks, kind="stable")
    return tuple(
        Deciding(int(p), float(peaks[p]), float(shares[p]))
        for p in order
        if peaks[p] > NEAR or shares[p] > ABOVE
    )


def splitting(
    bench: Bench, question: Question, before: int | None, recorded: Floats
) -> Splitting | None:
    """What splitting would save; None where no partition decides.

    before: Least constant replicas that keep the objective on the recording.
    recorded: Rates as recorded, events/s: what varies within a step is assumed, so it decides
        nothing.
    """
    partitions = deciding(recorded, question.mu)
    if not partitions:
        return None
    split = np.zeros(bench.rates.shape[1], np.bool_)
    split[[each.column for each in partitions]] = True
    halves = _split(bench, split)
    constants = ConstantCounts(halves, question.objective.allowed, Count())
    kind = simplicity.in_use(question)
    most = max(constants.most(kind), 1)
    least = max(int(bench.settings["min_replicas"]), 1)
    after = next((n for n in range(least, most + 1) if constants.keeps(kind, n)), None)
    return Splitting(partitions, before, after)


def _split(bench: Bench, split: Bools) -> Bench:
    """The workload with half of each of some partitions in a new one at the end of its topic."""
    columns, sizes = [], []
    edges = np.cumsum(bench.topics)[:-1]
    for part, is_split in zip(
        np.split(bench.rates, edges, axis=1), np.split(split, edges), strict=True
    ):
        halves = np.where(is_split, part * 0.5, part)
        columns += [halves, halves[:, is_split]]
        sizes.append(part.shape[1] + int(is_split.sum()))
    rates = np.ascontiguousarray(np.concatenate(columns, axis=1))
    most = max(bench.settings["max_replicas"], rates.shape[1])
    bounds = {} if bench.is_bounded else {"max_replicas": most}
    return bench._replace(rates=rates, topics=tuple(sizes), settings={**bench.settings, **bounds})
