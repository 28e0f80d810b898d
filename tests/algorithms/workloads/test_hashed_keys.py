"""Partitions of records whose keys are hashed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.input_errors import InvalidParameterError
from algorithms.workloads import hashed_keys

pytestmark = pytest.mark.unit


@given(st.lists(st.integers(0, 500), min_size=1, max_size=8), st.integers(0, 2**63 - 1))
def test_totals_stay_and_counts_are_integers(totals: list[int], seed: int) -> None:
    shares = np.array([0.5, 0.25, 0.25, 0.0])
    drawn = hashed_keys.spread(np.array(totals)[:, None] * shares, seed)
    assert drawn.sum(axis=1).tolist() == totals
    assert np.array_equal(drawn, np.rint(drawn))
    assert not drawn[:, 3].any()


def test_counts_are_multinomial() -> None:
    """Mean ``n p`` and variance ``n p (1 - p)``, within 5 standard errors of 40,000 draws."""
    events = np.tile([50.0, 30.0, 20.0], (40_000, 1))
    drawn = hashed_keys.spread(events, 7)
    shares = events[0] / 100.0
    spread = 100.0 * shares * (1.0 - shares)
    assert drawn.mean(axis=0) == pytest.approx(events[0], abs=5.0 * np.sqrt(21.0 / 40_000) * 1.1)
    assert drawn.var(axis=0) == pytest.approx(spread, rel=5.0 * np.sqrt(2.0 / 40_000))


def test_a_seed_gives_the_same_counts() -> None:
    events = np.full((3, 2), 25.0)
    assert np.array_equal(hashed_keys.spread(events, 1), hashed_keys.spread(events, 1))
    assert not np.array_equal(hashed_keys.spread(events, 1), hashed_keys.spread(events, 2))


def test_a_seed_is_checked() -> None:
    with pytest.raises(InvalidParameterError, match="seed"):
        hashed_keys.spread(np.ones((1, 1)), -1)
