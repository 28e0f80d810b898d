"""What is deployed by default: constant replicas, as many as are of use, and KEDA as it comes."""

from __future__ import annotations

from collections.abc import Iterator

from algorithms.autoscaling import candidate_grid
from algorithms.autoscaling.candidates import Candidate, candidate
from pipeline.experiments.autoscaling.recommendation import candidate_outcomes, consumer_settings
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import (
    Bench,
    CandidateOutcome,
    Count,
    Run,
)
from pipeline.experiments.autoscaling.recommendation.constant_counts import (
    FACTORS,
    ConstantCounts,
    CountsTried,
)
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers

KEDAS_MOST = 100
"""KEDA's default of ``maxReplicaCount``."""


def kedas(bench: Bench, count: Count) -> dict[Run, list[CandidateOutcome]]:
    """KEDA as it comes, on each kind of consumers, at all loads."""
    runs = [Run(_kedas_default(bench, kind), kind) for kind in consumer_settings.COMPARED]
    return candidate_outcomes.at_factors(bench, runs, FACTORS, {}, count)


def named(
    bench: Bench, constants: ConstantCounts, counts: tuple[CountsTried, ...]
) -> Iterator[tuple[str, Run]]:
    """What is deployed by default, with a name for each."""
    of_kind = {tried.kind: tried for tried in counts}
    for kind in consumer_settings.COMPARED:
        tried = of_kind[kind]
        n = tried.likeliest or tried.most
        yield f"constant replicas, {kind.assignor}", Run(candidate_grid.constant(n), kind)
    default = consumer_settings.KAFKAS_DEFAULT
    most = constants.most(default)
    yield (
        f"{_full_name(bench, most)}, {default.assignor}",
        Run(candidate_grid.constant(most), default),
    )
    for kind in consumer_settings.COMPARED:
        yield f"KEDA's defaults, {kind.assignor}", Run(_kedas_default(bench, kind), kind)


def _kedas_default(bench: Bench, kind: Consumers) -> Candidate:
    """KEDA as it comes: it adds replicas up to the partitions of all topics, idle ones too."""
    most = max(min(KEDAS_MOST, sum(bench.topics)), bench.settings["min_replicas"])
    if bench.is_bounded or most == bench.most_useful(kind.assignor):
        return Candidate("keda_hpa")
    return candidate("keda_hpa", max_replicas=most)


def _full_name(bench: Bench, most: int) -> str:
    """Name of the most constant replicas that are of use."""
    useful = bench.most_useful(consumer_settings.KAFKAS_DEFAULT.assignor)
    if most == useful:
        whole = "one replica per partition"
        return whole if len(bench.topics) == 1 else f"{whole} of the largest topic"
    return "max_replicas" if most < useful else "min_replicas"
