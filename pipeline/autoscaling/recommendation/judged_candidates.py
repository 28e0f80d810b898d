"""Candidates judged by their costs and events in resampled blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.arrays import Longs
from algorithms.core.seeds import derive_seed
from algorithms.inference import cheapest_within
from algorithms.inference.cheapest_within import HeldOut, Ratios, Totals
from algorithms.inference.intervals import Interval
from pipeline.autoscaling.recommendation import manifests
from pipeline.autoscaling.recommendation.candidate_outcomes import Bench, CandidateOutcome, Run
from pipeline.autoscaling.recommendation.manifests import Target


class Judged(NamedTuple):
    """One candidate on one kind of consumers.

    Attributes
    ----------
    run : Run
        The candidate and its consumers.
    outcome : CandidateOutcome
        Figures of its simulation.
    obstacle : str or None
        Why it cannot be deployed; None if it can.
    cost, on_time : Interval
        Cost per hour, and share of events in time, with 95 % intervals.
    keeps : bool
        Whether it keeps the objective on the whole workload.
    probability : float
        Share of the resamples in which it does.
    first : float
        Share of the resamples in which it is the cheapest deployable one that does.
    extra : Interval
        Cost per hour above that of the answer.
    """

    run: Run
    outcome: CandidateOutcome
    obstacle: str | None
    cost: Interval
    on_time: Interval
    keeps: bool
    probability: float
    first: float
    extra: Interval


class Evidence(NamedTuple):
    """What all candidates are judged by; positions are those of `runs`.

    Attributes
    ----------
    runs, outcomes, obstacles
        Simulations, what is kept of each, and why they cannot be deployed.
    totals, values, resamples
        Costs and events by block, of all blocks, and of resampled blocks.
    allowed : float
        Share of the events that may be late.
    order : int64[k]
        Positions, the best first.
    """

    runs: tuple[Run, ...]
    outcomes: tuple[CandidateOutcome, ...]
    obstacles: tuple[str | None, ...]
    totals: Totals
    values: Ratios
    resamples: Ratios
    allowed: float
    order: Longs

    def among(self, runs: Iterable[Run]) -> Longs:
        """Positions of some simulations, the best first."""
        wanted = set(runs)
        return np.array([i for i in self.order if self.runs[i] in wanted], dtype=np.int64)

    def deployable(self, positions: Longs) -> Longs:
        """Those of some positions that can be deployed, in the same order."""
        return np.array([i for i in positions if self.obstacles[i] is None], dtype=np.int64)

    def held_out(self, positions: Longs) -> HeldOut:
        """How well choosing among these does on blocks that were not seen."""
        return cheapest_within.held_out(self.totals, self.allowed, np.sort(positions))


def gather(
    bench: Bench,
    outcomes: Mapping[Run, CandidateOutcome],
    allowed: float,
    target: Target | None = None,
) -> Evidence:
    """Resample the blocks of all simulations.

    Parameters
    ----------
    bench
        What all share.
    outcomes
        Simulations.
    allowed
        Share of the events that may be late.
    target
        What is deployed; by default nothing is known of it.
    """
    totals = _totals(bench, outcomes)
    values = cheapest_within.ratios(totals)
    seed = derive_seed(bench.settings.get("seed", 0), "recommend")
    return Evidence(
        tuple(outcomes),
        tuple(outcomes.values()),
        tuple(_obstacle(run, outcome, target) for run, outcome in outcomes.items()),
        totals,
        values,
        cheapest_within.resampled(totals, seed),
        allowed,
        cheapest_within.order(values, allowed),
    )


def judge(evidence: Evidence, answer: int, deployable: Longs) -> tuple[Judged, ...]:
    """Judge all simulations.

    Parameters
    ----------
    evidence
        What they are judged by.
    answer
        Position of the one with which costs are compared.
    deployable
        Positions of those that can be recommended and deployed, the best first.

    Returns
    -------
    tuple of Judged
        In the order of the simulations.
    """
    values, resamples, allowed = evidence.values, evidence.resamples, evidence.allowed
    keeps = cheapest_within.keeps(values, allowed)
    probability = cheapest_within.probability(resamples, allowed)
    first = cheapest_within.share_of_first(resamples, allowed, deployable)
    return tuple(
        Judged(
            run,
            evidence.outcomes[i],
            evidence.obstacles[i],
            cheapest_within.cost_interval(values, resamples, i),
            cheapest_within.on_time_interval(values, resamples, i),
            bool(keeps[i]),
            float(probability[i]),
            float(first[i]),
            cheapest_within.extra_cost(values, resamples, i, answer),
        )
        for i, run in enumerate(evidence.runs)
    )


def _totals(bench: Bench, outcomes: Mapping[Run, CandidateOutcome]) -> Totals:
    columns: Any = zip(*(outcome.totals for outcome in outcomes.values()), strict=True)
    hours = np.diff(bench.edges) * bench.settings["step_s"] / 3600.0
    return Totals(hours, *(np.column_stack(values) for values in columns))


def _obstacle(run: Run, outcome: CandidateOutcome, target: Target | None) -> str | None:
    if not run.consumers.is_kafkas:
        return "needs an assignor that Kafka does not have"
    return manifests.obstacle(run.candidate, outcome.settings, target)
