"""Areas of fronts over recordings: as those of one front each, and intervals by hand."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference import block_fronts
from algorithms.inference.front_quality import hypervolume

pytestmark = pytest.mark.unit


def recording(first: object, second: object) -> Floats:
    """Both objectives by seed, point and block."""
    return np.stack([np.array(first, float), np.array(second, float)], axis=-1)


def test_areas_are_those_of_each_front() -> None:
    # Coarse values: points on each other, on the edge and beyond.
    points = np.random.default_rng(3).integers(0, 9, (200, 5, 2)) / 7.0
    expected = [hypervolume(one, (1.0, 1.0)) for one in points]
    np.testing.assert_allclose(block_fronts.areas(points), expected, atol=1e-12)


def test_the_area_by_hand() -> None:
    # Points (0.5, 0.25) and (0.25, 0.75), the same in both blocks: nothing varies.
    one = recording([[[0.5, 0.5], [0.25, 0.25]]], [[[0.25, 0.25], [0.75, 0.75]]])
    assert block_fronts.area_interval([one], 1) == pytest.approx((0.4375,) * 3)
    # A second recording counts as much, whatever its length: (0.25, 0.5) on average.
    other = recording([[[0.0], [0.25]]], [[[0.75], [0.75]]])
    mean = block_fronts.area_interval([one, other], 1).mean
    assert mean == pytest.approx(0.75 * 0.5)


def test_the_interval_follows_seeds_and_blocks() -> None:
    rng = np.random.default_rng(1)
    blocks = block_fronts.area_interval(
        [recording(rng.random((1, 1, 50)), np.zeros((1, 1, 50)))], 1
    )
    # The standard error of a mean of 50 uniform numbers is 0.29 / 7.
    assert blocks.high - blocks.low == pytest.approx(4 * 0.29 / 50**0.5, rel=0.2)
    seeds = np.tile(rng.random((40, 1, 1)), (1, 1, 50))
    wide = block_fronts.area_interval([recording(seeds, np.zeros((40, 1, 50)))], 1)
    assert wide.low < wide.mean < wide.high
    assert wide.high - wide.low == pytest.approx(4 * 0.29 / 40**0.5, rel=0.2)


def test_other_shapes_are_refused() -> None:
    one = np.ones((2, 1, 3, 2))
    for recordings in ([], [one[..., 0]], [one[:, :0]], [one, np.ones((3, 1, 1, 2))]):
        with pytest.raises(InvalidParameterError):
            block_fronts.area_interval(recordings, 1)
