"""Work of removed members that is not committed, and is done again by the next owners."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling.planned_counts import planned
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.group_result import Result
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.simulation.group_simulation import simulate
from tests.algorithms.simulation import scenarios
from tests.algorithms.simulation.test_group import check

pytestmark = pytest.mark.unit

COUNTS = np.array([1, 2, 2, 2, 1, 1, 1, 1])
"""From 1 s on two members, which commit then; from 4 s on one."""


def run(counts: Any = COUNTS, **settings: Any) -> Result:
    """Four partitions with 10 events/s each."""
    settings = PAPER_GROUP | {"commit_s": 5.0, "mu": 200.0, "rebalance_s": 0.0} | settings
    return simulate(np.full((len(counts), 4), 10.0), planned(counts), settings=settings)


@pytest.mark.parametrize("block", range(4))
def test_random_scenarios(block: int) -> None:
    """The plain simulation agrees in everything, also where starts are drawn."""
    for seed in range(30 * block, 30 * (block + 1)):
        case = scenarios.with_work_in_flight(scenarios.scenario(seed), seed)
        check(case)
        check(scenarios.with_drawn_starts(case, seed))


@pytest.mark.parametrize("seed", [50_013, 50_030])
def test_a_commit_after_work_is_done_again_advances(seed: int) -> None:
    """Members whose next owner serves nothing new before it commits."""
    check(scenarios.with_work_in_flight(scenarios.scenario(seed, steps=20), seed))


@pytest.mark.slow
def test_many_more_random_scenarios() -> None:
    for seed in range(50_000, 50_300):
        check(scenarios.with_work_in_flight(scenarios.scenario(seed, steps=20), seed))


@pytest.mark.parametrize(
    ("in_flight_s", "events"), [(0.0, 0.0), (1.5, 30.0), (3.0, 60.0), (45.0, 60.0)]
)
def test_what_was_served_since_the_last_commit_is_served_again(
    in_flight_s: float, events: float
) -> None:
    """Of two partitions, 20 events/s for 3 s at most; each waits for its half at 200 events/s."""
    result = run(in_flight_s=in_flight_s)
    assert result.reprocessed == pytest.approx(events)
    assert result.stalled_s == pytest.approx(2 * (events / 2) / 200.0)


def test_what_is_committed_is_not_served_again() -> None:
    """The member that leaves at 4 s has committed then, or at 3 s."""
    assert run(in_flight_s=45.0, commit_s=1.5).reprocessed == pytest.approx(0.0)
    assert run(in_flight_s=45.0, commit_s=2.0).reprocessed == pytest.approx(20.0)


def test_a_strategy_that_observes_nothing_loses_as_much() -> None:
    """Commits are simulated for it too then."""
    blind = replace(planned(COUNTS), needs=())
    settings = PAPER_GROUP | {"commit_s": 5.0, "rebalance_s": 0.0, "in_flight_s": 1.5}
    result = simulate(np.full((len(COUNTS), 4), 10.0), blind, settings=settings)
    assert result.reprocessed == pytest.approx(30.0)


def test_growth_loses_nothing() -> None:
    assert run(np.array([1, 2, 3, 4, 4, 4]), in_flight_s=45.0).reprocessed == 0.0


def test_later_starts_from_empty_do_the_work_again() -> None:
    """A group that goes to 0 loses the work of all, and the next member does it first."""
    result = run(np.array([1, 2, 2, 2, 0, 0, 1, 1]), in_flight_s=45.0, min_replicas=0)
    assert result.reprocessed == pytest.approx(120.0)
    assert result.stalled_s == pytest.approx(4 * 2.0 + 4 * 30.0 / 200.0)


def test_without_late_commits_nothing_is_in_flight() -> None:
    with pytest.raises(InvalidParameterError, match=r"^in_flight_s must be 0 where commit_s is 0"):
        run(commit_s=0.0, in_flight_s=1.0)
