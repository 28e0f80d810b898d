"""Regret over recordings: means by hand, intervals that cover what was resampled."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference import block_regrets

pytestmark = pytest.mark.unit

LEAST = [np.array([1.0, 3.0]), np.array([2.0])]


def test_recordings_count_the_same_whatever_their_length() -> None:
    costs = [np.array([[2.0, 6.0]]), np.array([[2.0]])]
    assert block_regrets.regrets(costs, LEAST).tolist() == [0.5]


def test_the_interval_is_a_point_without_variation() -> None:
    costs = [np.tile(1.25 * least, (4, 1)) for least in LEAST]
    assert block_regrets.regret_interval(costs, LEAST, 3) == pytest.approx((0.25, 0.25, 0.25))


def test_the_interval_follows_seeds_and_blocks() -> None:
    rng = np.random.default_rng(1)
    least = [np.ones(50)]
    few = [1.0 + rng.random((1, 50))]
    one = block_regrets.regret_interval(few, least, 1)
    assert one.low < one.mean < one.high
    # The standard error of a mean of 50 uniform numbers is 0.29 / 7.
    assert one.high - one.low == pytest.approx(4 * 0.29 / 50**0.5, rel=0.2)
    seeds = [1.0 + np.tile(rng.random((40, 1)), (1, 50))]
    wide = block_regrets.regret_interval(seeds, least, 1)
    assert wide.high - wide.low == pytest.approx(4 * 0.29 / 40**0.5, rel=0.2)


def test_other_shapes_and_no_cost_are_refused() -> None:
    for costs, least in (
        ([np.ones((2, 3))], [np.ones(2)]),
        ([np.ones((2, 1)), np.ones((3, 1))], [np.ones(1), np.ones(1)]),
        ([], []),
        ([np.ones((0, 1))], [np.ones(1)]),
        ([np.ones((1, 1))], [np.zeros(1)]),
    ):
        with pytest.raises(InvalidParameterError):
            block_regrets.regrets(costs, least)
