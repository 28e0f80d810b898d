"""Hypervolumes of fronts over recordings, with intervals over seeds and blocks of time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.block_correlation import stretch
from algorithms.inference.block_regrets import RESAMPLES
from algorithms.inference.intervals import Interval

CORNER = 1.0
"""Both coordinates up to which the area counts."""


def areas(points: Floats) -> Floats:
    """Area that the points of each front dominate, up to `CORNER` in both coordinates.

    points: float64[..., W, 2], W points of each front, both coordinates minimised.
    Returns: float64[...], as `algorithms.inference.front_quality.hypervolume`, of all fronts at
        once.

    O(W log W) for each front.

    >>> areas(np.array([[[0.5, 0.25], [0.25, 0.75], [2.0, 0.0]]])).tolist()
    [0.4375]
    """
    order = np.argsort(points[..., 0], axis=-1, kind="stable")
    x, y = (np.take_along_axis(points[..., i], order, axis=-1) for i in (0, 1))
    levels = np.minimum(np.minimum.accumulate(y, axis=-1), CORNER)
    before = np.concatenate([np.full((*levels.shape[:-1], 1), CORNER), levels[..., :-1]], axis=-1)
    result: Floats = (np.maximum(CORNER - x, 0.0) * (before - levels)).sum(axis=-1)
    return result


def area_interval(recordings: Sequence[Floats], seed: int) -> Interval:
    """Mean over seeds of the area that a front dominates, with a bootstrap interval at 95 %.

    A point of the front is the mean over recordings, each of which counts the same. Seeds are
    resampled, and blocks within each recording: recordings are strata. All points of a resample
    have the same blocks. Neighbouring blocks may be correlated, so the weights that resampling
    gives to blocks are stretched about their mean; see `block_correlation.stretch`.

    recordings: sequence of float64[S, W, K, 2], at least one: both objectives of S seeds with W
        points each in K blocks, so that their mean over blocks is that of the recording. All have
        the same seeds and points.

    `RESAMPLES` resamples. O(B S W (K + log W)) for B of them.
    """
    _check(recordings)
    rng = np.random.Generator(np.random.PCG64(seed))
    seeds = recordings[0].shape[0]
    chosen = rng.multinomial(seeds, np.full(seeds, 1.0 / seeds), size=RESAMPLES) / seeds
    drawn = np.mean([_resampled(one, rng) for one in recordings], axis=0)
    mean = float(areas(np.mean([one.mean(axis=2) for one in recordings], axis=0)).mean())
    low, high = np.quantile((chosen * areas(drawn)).sum(axis=1), (0.025, 0.975)).tolist()
    return Interval(mean, min(low, mean), max(high, mean))


def _resampled(one: Floats, rng: np.random.Generator) -> Floats:
    """Points of each resample of the blocks, ``float64[B, S, W, 2]``."""
    blocks = one.shape[2]
    times = rng.multinomial(blocks, np.full(blocks, 1.0 / blocks), size=RESAMPLES)
    factor = stretch(np.moveaxis(one.mean(axis=0), 1, -1))
    weights = (1.0 + factor * (times - 1.0)) / blocks
    points: Floats = np.einsum("bk,swkc->bswc", weights, one)
    return points


def _check(recordings: Sequence[Floats]) -> None:
    shapes = [one.shape for one in recordings]
    alike = all(len(s) == 4 and s[3] == 2 and s[:2] == shapes[0][:2] and 0 not in s for s in shapes)
    if not shapes or not alike:
        raise InvalidParameterError(
            "recordings must be arrays of seeds, points, blocks and 2 objectives, with the same "
            f"seeds and points (got {shapes})"
        )
