"""Mean regret over recordings, with an interval over seeds and blocks of time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.block_correlation import stretch
from algorithms.inference.intervals import Interval

RESAMPLES = 1999


def regrets(costs: Sequence[Floats], least: Sequence[Floats]) -> Floats:
    """Regret of each seed: how much more than the least a seed costs, mean over recordings.

    costs: sequence of float64[S, K], costs of S seeds in the K blocks of each recording.
    least: sequence of float64[K], what they are compared with, by block.
    Returns: float64[S], 0 for the same cost, 1 for twice of it.
    Raises InvalidParameterError if shapes differ, or a recording costs nothing at least.

    >>> regrets([np.array([[1.0, 2.0], [2.0, 2.0]])], [np.array([1.0, 1.0])]).tolist()
    [0.5, 1.0]
    """
    _check(costs, least)
    each = [cost.sum(axis=1) / cheapest.sum() for cost, cheapest in zip(costs, least, strict=True)]
    result: Floats = np.mean(each, axis=0) - 1.0
    return result


def regret_interval(costs: Sequence[Floats], least: Sequence[Floats], seed: int) -> Interval:
    """Mean regret with a bootstrap interval at 95 %.

    Seeds are resampled, and blocks within each recording: recordings are strata. A resample has the
    same blocks of both costs. Neighbouring blocks may be correlated, so that the weights which
    resampling gives to blocks are stretched about 1; see `block_correlation.stretch`.

    costs, least: As for `regrets`.

    `RESAMPLES` resamples. O(B (S + K)) for B of them.
    """
    _check(costs, least)
    rng = np.random.Generator(np.random.PCG64(seed))
    seeds = costs[0].shape[0]
    chosen = rng.multinomial(seeds, np.full(seeds, 1.0 / seeds), size=RESAMPLES) / seeds
    total = np.zeros(RESAMPLES)
    for cost, cheapest in zip(costs, least, strict=True):
        blocks = len(cheapest)
        times = rng.multinomial(blocks, np.full(blocks, 1.0 / blocks), size=RESAMPLES)
        mean_cost = cost.mean(axis=0)
        excess = mean_cost - cheapest * (mean_cost.sum() / cheapest.sum())
        weights = 1.0 + stretch(excess) * (times - 1.0)
        # A stretched resample of very few blocks could leave nothing to compare with.
        compared = np.maximum(weights @ cheapest, cheapest.sum() / blocks)
        total += (chosen * (weights @ cost.T)).sum(axis=1) / compared
    low, high = (float(end) for end in np.quantile(total / len(costs) - 1.0, (0.025, 0.975)))
    mean = float(regrets(costs, least).mean())
    return Interval(mean, min(low, mean), max(high, mean))


def _check(costs: Sequence[Floats], least: Sequence[Floats]) -> None:
    shapes = [cost.shape for cost in costs]
    expected = [(shapes[0][0], len(cheapest)) for cheapest in least] if shapes else []
    if not shapes or shapes != expected or not shapes[0][0]:
        raise InvalidParameterError(
            f"costs must have a row per seed and a column per block of each recording (got {shapes}"
            f" for blocks {[len(cheapest) for cheapest in least]})"
        )
    if not all((cheapest > 0.0).all() for cheapest in least):
        raise InvalidParameterError("the least cost of each block must be above 0")
