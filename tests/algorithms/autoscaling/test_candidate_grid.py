"""Candidates among which one is recommended."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.autoscaling import candidate_grid, registry
from algorithms.autoscaling.candidate_grid import MOST_CONSTANTS, compared, constants, halfway
from algorithms.autoscaling.candidates import COMPARED, Candidate, sweep
from algorithms.simulation.group_settings import check_settings, group_of

pytestmark = [pytest.mark.unit, pytest.mark.slow]


@pytest.mark.parametrize("partitions", [1, 2, 9, 32, 33, 500])
def test_constants_go_from_one_to_all_partitions(partitions: int) -> None:
    counts = [each.settings["initial_replicas"] for each in constants(partitions)]
    assert counts == sorted(set(counts))
    assert (counts[0], counts[-1]) == (1, partitions)
    assert len(counts) == min(partitions, MOST_CONSTANTS)
    assert max(np.diff(counts), default=1) <= -(-partitions // (MOST_CONSTANTS - 1))
    least = (partitions + 1) // 2
    ends = [each.settings["initial_replicas"] for each in constants(partitions, least)]
    assert (ends[0], ends[-1]) == (least, partitions)


@given(st.integers(1, 10**4), st.integers(0, 10**4))
def test_halving_ends_at_the_least_that_is_enough(keeps: int, misses: int) -> None:
    """Whatever the least number is, it is found, in as many steps as the gap has bits."""
    low, high = sorted((misses, keeps))
    for least in {low + 1, (low + high + 1) // 2, high} if high > low else set():
        below, above, steps = low, high, 0
        while (candidate := halfway(below, above)) is not None:
            number = candidate.settings["initial_replicas"]
            assert below < number < above
            below, above = (below, number) if number >= least else (number, above)
            steps += 1
        assert above == least
        assert steps <= (high - low).bit_length()


@pytest.mark.parametrize("mu", [0.5, 200.0, 1e7])
def test_every_candidate_starts(mu: float) -> None:
    """All sweeps are in, and `constant` always names its number."""
    every = compared(6, mu, 0.5)
    assert len(set(every)) == len(every)
    assert Candidate("constant") not in every
    for name in COMPARED:
        if name != "constant":
            assert set(sweep(name, 6, mu, 0.5)) <= set(every)
    for each in every:
        strategy = registry.get(each.strategy)
        settings = check_settings(
            {"mu": mu, **each.settings}, 6, strategy.decision_s, strategy.observe
        )
        group = group_of(settings, np.full(6, 0.2 * mu))
        assert strategy.start(group, **each.arguments).partitions == 6


def test_thresholds_of_keda_follow_what_a_consumer_serves_in_time() -> None:
    """A replica at 10,000 events/s may have 5,000 events of lag, at 10 events/s 5."""
    for mu, least, most in ((10_000.0, 100, 25_000), (10.0, 1, 25)):
        extra = set(compared(2, mu, 0.5)) - set(sweep("keda_hpa", 2, mu, 0.5))
        thresholds = [
            dict(each.parameters)["threshold"] for each in extra if each.strategy == "keda_hpa"
        ]
        assert (min(thresholds), max(thresholds)) == (least, most)
    windows = {
        dict(each.parameters)["scale_down"].window_s
        for each in compared(2, 10.0, 0.5)
        if "scale_down" in dict(each.parameters)
    }
    assert windows == {candidate_grid._SHORT_WINDOW_S}
