"""Draws depend on their key alone and follow the distributions that they are named after."""

import math

import numpy as np
import pytest
from scipy import stats

from algorithms.core.arrays import Floats
from algorithms.core.compiled import allocating
from algorithms.core.keyed_draws import gamma, key, poisson, unit

pytestmark = pytest.mark.unit

N = 20_000
REJECTED = 1e-6
"""p-value below which a sample does not follow a distribution; the samples never change."""


@allocating
def units(seed: int, n: int) -> Floats:
    return np.array([unit(key(seed, 0, i, 7)) for i in range(n)])


@allocating
def gammas(seed: int, n: int, shape: float) -> Floats:
    return np.array([gamma(key(seed, 1, i, 0), shape) for i in range(n)])


@allocating
def poissons(seed: int, n: int, mean: float) -> Floats:
    return np.array([poisson(key(seed, 2, 0, i), mean) for i in range(n)])


def test_units_are_uniform() -> None:
    sample = units(3, N)
    assert ((sample > 0.0) & (sample < 1.0)).all()
    assert stats.kstest(sample, "uniform").pvalue > REJECTED


@pytest.mark.parametrize("shape", [0.05, 0.5, 1.0, 3.0, 200.0, 1e6])
def test_gammas(shape: float) -> None:
    sample = gammas(4, N, shape)
    assert stats.kstest(sample, stats.gamma(shape).cdf).pvalue > REJECTED
    assert sample.mean() == pytest.approx(shape, rel=6.0 / math.sqrt(N * shape))


@pytest.mark.parametrize("mean", [0.01, 0.7, 5.0, 9.99, 10.0, 23.4, 200.0, 1e6])
def test_poisson_counts(mean: float) -> None:
    sample = poissons(5, N, mean)
    assert (sample == np.floor(sample)).all()
    assert sample.min() >= 0.0
    assert sample.mean() == pytest.approx(mean, abs=6.0 * math.sqrt(mean / N))
    assert sample.var() == pytest.approx(mean, rel=6.0 * math.sqrt((2.0 + 1.0 / mean) / N))
    low, high = stats.poisson.ppf([1e-4, 1 - 1e-4], mean)
    edges = np.unique(np.linspace(low, high, 12).round())
    observed = np.histogram(sample, [-1.0, *(edges + 0.5), math.inf])[0]
    below = stats.poisson.cdf(edges, mean)
    expected = np.diff([0.0, *below, 1.0]) * N
    few = expected >= 5.0
    assert (
        stats.chisquare(
            observed[few], expected[few] * observed[few].sum() / expected[few].sum()
        ).pvalue
        > REJECTED
    )


def test_no_events_are_expected_at_a_mean_of_zero() -> None:
    assert (poissons(6, 100, 0.0) == 0.0).all()


def test_each_part_of_a_key_counts() -> None:
    keys = {
        int(key(seed, kind, row, column))
        for seed in range(4)
        for kind in range(4)
        for row in range(4)
        for column in range(4)
    }
    assert len(keys) == 4**4


def test_the_bits_are_pinned() -> None:
    """Published results contain them: a change of the generator changes every simulation."""
    state = key(2024, 1, 30, 5)
    assert int(state) == 9010889969845915975
    assert unit(state).hex() == "0x1.f55fc6acae524p-4"
    assert gamma(state, 200.0).hex() == "0x1.87e78f67179a7p+7"
    assert gamma(state, 0.5).hex() == "0x1.e2a556789f5b7p-8"
    assert poisson(state, 100.0) == 89.0
    assert poisson(state, 2.0) == 1.0
