"""Poisson arrivals: integer counts that depend on the seed, the step and the partition only."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.workloads.poisson_counts import draw

pytestmark = pytest.mark.unit


def test_counts_are_integers_with_the_given_mean() -> None:
    means = np.tile([0.0, 0.5, 30.0, 400.0], (5_000, 1))
    counts = draw(means, 0.5, seed=1) * 0.5
    assert np.array_equal(counts, np.floor(counts))
    expected = means[0] * 0.5
    assert counts.mean(axis=0) == pytest.approx(expected, abs=6.0 * np.sqrt(200.0 / 5_000))
    assert counts.var(axis=0) == pytest.approx(expected, rel=0.2)


def test_a_count_does_not_depend_on_the_others() -> None:
    rates = np.random.default_rng(1).uniform(0.0, 50.0, (20, 6))
    whole = draw(rates, 1.0, seed=9)
    assert np.array_equal(draw(rates[:7, :2], 1.0, seed=9), whole[:7, :2])
    assert not np.array_equal(draw(rates, 1.0, seed=10), whole)


def test_cells_are_not_correlated() -> None:
    counts = draw(np.full((4_000, 3), 50.0), 1.0, seed=2)
    neighbours = np.corrcoef(counts[:-1, 0], counts[1:, 0])[0, 1]
    columns = np.corrcoef(counts.T)[0, 1:]
    assert np.abs([neighbours, *columns]).max() < 6.0 / np.sqrt(4_000)


def test_a_wrong_seed_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="seed must be between 0"):
        draw(np.ones((1, 1)), 1.0, seed=-1)
