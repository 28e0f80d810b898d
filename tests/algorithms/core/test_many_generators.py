"""Generators of many seeds are those that NumPy makes of each."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import PCG64, Generator, SeedSequence

from algorithms.core.many_generators import generators, initial_states

EDGES = [0, 1, 2**32 - 1, 2**32, 2**63 - 1, 2**64 - 1]
SEEDS = st.lists(st.one_of(st.sampled_from(EDGES), st.integers(0, 2**64 - 1)), max_size=20)


@given(SEEDS)
def test_states_are_those_of_numpy(seeds: list[int]) -> None:
    expected = [SeedSequence(seed).generate_state(4, np.uint64) for seed in seeds]

    np.testing.assert_array_equal(
        initial_states(seeds), np.array(expected, np.uint64).reshape(len(seeds), 4)
    )


@given(SEEDS)
def test_draws_are_those_of_a_generator_of_the_seed(seeds: list[int]) -> None:
    for seed, draws in zip(seeds, generators(seeds), strict=True):
        expected = Generator(PCG64(seed))

        assert draws.integers(3, 12) == expected.integers(3, 12)
        np.testing.assert_array_equal(draws.standard_normal(50), expected.standard_normal(50))
