"""Days of a recording by the clock, and what comes closest where nothing is enough."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from algorithms.inference.next_week import DayOutcomes, NextWeek
from algorithms.inference.simplest_choice import NONE
from pipeline.experiments.autoscaling.recommendation import judged_candidates
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Evidence
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

pytestmark = pytest.mark.unit


def test_weekends_follow_the_clock() -> None:
    """A recording that starts on a Thursday."""
    edges = np.arange(8) * 24
    weekends = judged_candidates.weekends(datetime(2026, 3, 5, 0, tzinfo=UTC), edges, 3600.0)
    assert weekends is not None
    assert weekends.tolist() == [False, False, True, True, False, False, False]
    assert judged_candidates.weekends(None, edges, 3600.0) is None


def evidence(kept: list[float], cost: list[float], tiers: list[int], late: list[float]) -> Evidence:
    """Candidates with a chance, a cost and a tier each, and the late share of the recording."""
    k = len(kept)
    ones = np.ones((k, 1, 1))
    days = DayOutcomes(np.ones(1), np.ones(1), ones, np.array(late).reshape(k, 1, 1), ones)
    week = NextWeek(np.array(kept), np.zeros((k, 2)), np.repeat(np.array(cost)[:, None], 2, axis=1))
    nothing = np.zeros(k, np.bool_)
    return Evidence((), (), (None,) * k, np.array(tiers), days, week, nothing, allowed=0.01)


@pytest.mark.parametrize(
    ("kept", "cost", "tiers", "pick"),
    [
        # As likely as the likeliest, and a quarter of its cost.
        ([0.91, 0.88, 0.87], [24.0, 6.0, 20.0], [4, 4, 2], 1),
        # A chance that is five points below does not count.
        ([0.91, 0.85], [24.0, 6.0], [4, 4], 0),
        # The simpler one is as good.
        ([0.91, 0.90], [5.9, 6.0], [4, 1], 1),
    ],
)
def test_what_comes_closest_is_chosen_by_the_rule(
    kept: list[float], cost: list[float], tiers: list[int], pick: int
) -> None:
    may = np.ones(len(kept), np.bool_)
    among = evidence(kept, cost, tiers, [0.0] * len(kept))
    assert judged_candidates.closest(among, asked(), may) == pick
    assert judged_candidates.closest(among, asked(), ~may) == NONE
