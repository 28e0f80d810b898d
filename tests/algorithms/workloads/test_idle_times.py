"""Times without events."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from algorithms.workloads import idle_times

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("seed", range(20))
def test_the_longest_run_of_empty_steps_counts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rates = rng.uniform(size=(30, 2)) * (rng.random((30, 2)) < rng.choice([0.0, 0.1, 0.4, 0.9]))
    is_empty = [not any(row) for row in rates.tolist()]
    runs = [len([*run]) for empty, run in itertools.groupby(is_empty) if empty]
    assert idle_times.longest_s(rates, 5.0) == 5.0 * max(runs, default=0)
