"""What `docs/frontier.md` claims of the paper's algorithms: each one is beaten in both objectives.

Generated streams are those of preset `frontier`: its root seed, its first replicates (which count
from 1), its prices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pytest

from algorithms.assignment import registry
from algorithms.core import seeds
from algorithms.scores import assignment_scores
from algorithms.workloads import random_walk
from pipeline.settings.presets import PRICES
from tests.algorithms.assignment import cases

pytestmark = [pytest.mark.unit, pytest.mark.slow]

ROOT_SEED = 2024
TWELVE = registry.reference_set()
AHEAD = tuple(f"SR_{price}" for price in PRICES)
BY_FEWEST = ("BFD", "FFD", "WFD", "MBFP")
"""Of these, `SR_inf` itself is ahead."""

DELTAS = (5.0, 15.0, 25.0)
STARTS: Mapping[str, tuple[float | None, bool]] = {
    "uniform": (None, True),
    "start-0": (0.0, True),
    "start-50": (50.0, True),
    "start-100": (100.0, True),
    "unclipped": (None, False),
}
"""Speed at the start, and whether speeds are clipped."""


class Score(NamedTuple):
    """Both objectives of an algorithm on one stream, lower is better."""

    cbs: float
    rscore: float


def scores(
    rates: cases.Rates, capacity: float, seed: int, ahead: Sequence[str] = AHEAD
) -> dict[str, Score]:
    """CBS against the common minimum, and mean Rscore, of the twelve and of others."""
    held = {name: cases.run(name, rates, capacity, seed) for name in (*TWELVE, *ahead)}
    counts = {name: assignment_scores.n_consumers(consumers) for name, consumers in held.items()}
    fewest = np.min(list(counts.values()), axis=0)
    return {
        name: Score(
            assignment_scores.cbs(counts[name], fewest),
            float(assignment_scores.rscore(rates, consumers, capacity).mean()),
        )
        for name, consumers in held.items()
    }


def dominates(one: Score, other: Score) -> bool:
    """No worse in either objective, better in one."""
    return one != other and one.cbs <= other.cbs and one.rscore <= other.rscore


def undominated(scores_by_name: Mapping[str, Score]) -> list[str]:
    """Those of the twelve that nothing dominates which should."""
    return [
        name
        for name in TWELVE
        if not any(
            dominates(scores_by_name[ahead], scores_by_name[name])
            for ahead in (("SR_inf",) if name in BY_FEWEST else scores_by_name)
            if ahead.startswith("SR_")
        )
    ]


def generated(
    partitions: int, iterations: int, delta: float, replicate: int, start: str
) -> tuple[cases.Rates, int]:
    """A stream of the preset, or how it begins: rates and seed."""
    seed = seeds.stream_seed(ROOT_SEED, delta, replicate)
    initial, clip = STARTS[start]
    return random_walk.generate(partitions, iterations, delta, 100.0, initial, seed, clip), seed


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("partitions", "replicates"), [(32, 3), (200, 1)])
def test_each_of_the_twelve_is_dominated_on_each_stream(
    partitions: int, replicates: int, start: str, delta: float
) -> None:
    """From any start, clipped or not; in a quarter of the preset's iterations."""
    for replicate in range(1, replicates + 1):
        rates, seed = generated(partitions, 125, delta, replicate, start)
        assert undominated(scores(rates, 100.0, seed)) == []


def least_rscore(means: Mapping[str, Score], beside: str) -> float:
    """Least Rscore of the family with a CBS of some algorithm at most."""
    return min(
        means[name].rscore
        for name in means
        if name.startswith("SR_") and means[name].cbs <= means[beside].cbs
    )


@pytest.mark.parametrize(
    ("delta", "fewest", "beside_mbf", "beside_mwf"),
    [(5.0, 11.4, 6.4, 2.3), (15.0, 16.9, 12.9, 6.4), (25.0, 18.3, 15.6, 8.9)],
)
def test_rscores_at_the_size_of_the_paper(
    delta: float, fewest: float, beside_mbf: float, beside_mwf: float
) -> None:
    """Required means over three streams of 500 iterations, on the preset's first three.

    Of `SR_inf`, which is to have the fewest consumers, and of the family with a CBS of MBF's and
    of MWF's at most.
    """
    ahead = ("SR_0.55", "SR_0.7", "SR_0.85", "SR_2", "SR_inf")
    samples = []
    for replicate in (1, 2, 3):
        rates, seed = generated(200, 500, delta, replicate, "uniform")
        samples.append(scores(rates, 100.0, seed, ahead))
    means = {name: Score(*np.mean([one[name] for one in samples], axis=0)) for name in samples[0]}
    assert dominates(means["SR_inf"], means["BFD"])
    assert means["SR_inf"].rscore <= fewest
    assert least_rscore(means, "MBF") <= beside_mbf
    assert least_rscore(means, "MWF") <= beside_mwf


def dealt(partitions: int, drifting: bool, seed: int) -> cases.Rates:
    """A load as recordings have it, dealt to partitions: waves, noise and bursts that die away.

    Shares are log-normal, so that few partitions have much of the load; they stay as they are, or
    each walks by itself. A consumer can take 100, which is what four partitions write on average
    and less than the largest ones do now and then.
    """
    rng = np.random.default_rng([seed, partitions, drifting])
    n = 150
    bursts = np.convolve(rng.exponential(0.6, n) * (rng.random(n) < 0.05), 0.7 ** np.arange(20))
    total = 1.0 + 0.35 * np.sin(np.arange(n) / 24.0) + rng.normal(0.0, 0.04, n) + bursts[:n]
    steps = rng.normal(0.0, 0.06 if drifting else 0.0, (n, partitions))
    steps[0] = rng.normal(0.0, 0.7, partitions)
    shares = np.exp(np.cumsum(steps, axis=0))
    shares /= shares.sum(axis=1, keepdims=True)
    return total[:, None] * shares * partitions * 25.0


@pytest.mark.parametrize("drifting", [False, True], ids=["staying", "drifting"])
@pytest.mark.parametrize("partitions", [32, 200])
def test_each_of_the_twelve_is_dominated_on_loads_like_recorded_ones(
    partitions: int, drifting: bool
) -> None:
    """All partitions rise and fall together, which no generated stream has."""
    for seed in range(3 if partitions == 32 else 1):
        rates = dealt(partitions, drifting, seed)
        assert undominated(scores(rates, 100.0, seed)) == []
