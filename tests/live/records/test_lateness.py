"""Percentiles of delays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from live.records.lateness import Lateness

pytestmark = pytest.mark.unit


@given(
    st.lists(st.one_of(st.integers(-10, 300), st.integers(0, 10**12)), min_size=1),
    st.sampled_from([0.0, 1.0, 50.0, 99.0, 100.0]),
)
def test_percentiles_are_exact_to_a_sixty_fourth(delays: list[int], percent: float) -> None:
    lateness = Lateness()
    for delay in delays:
        lateness.add(delay)
    ordered = sorted(max(delay, 0) for delay in delays)
    exact = ordered[max(0, -int(-percent * len(delays) // 100) - 1)]
    assert exact <= lateness.percentile_ns(percent) <= exact * (1 + 1 / 64)
    assert lateness.max_ns == ordered[-1]
    assert lateness.count == len(delays)


def test_no_delay_is_late_without_any() -> None:
    assert Lateness().percentile_ns(99) == 0
