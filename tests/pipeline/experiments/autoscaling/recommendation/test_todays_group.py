"""What a recording shows of today's group."""

from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.inference.week_draws import Spread
from pipeline.experiments.autoscaling.recommendation import (
    consumer_settings,
    recommendation_question,
    todays_group,
)
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from pipeline.inputs.traces.recorded_group import NO_MEMBER, RecordedGroup
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

pytestmark = pytest.mark.unit


def recorded(
    committed: np.ndarray, ends: np.ndarray, owners: np.ndarray | None = None
) -> RecordedGroup:
    n, p = committed.shape
    own = np.tile(np.arange(p), (n, 1)) if owners is None else owners
    names = tuple(f"m{i}" for i in range(p))
    return RecordedGroup(
        "g", names, 10.0 * np.arange(n), committed, ends, own, names, ("",) * p
    )  # fmt: skip


def growing(rates: list[float], steps: int = 5) -> np.ndarray:
    return 10.0 * np.arange(steps)[:, None] * np.array(rates)


def test_what_members_serve_comes_from_intervals_with_lag() -> None:
    """Two of three members lag; the third keeps up, so it may be able to serve more."""
    committed = growing([100.0, 120.0, 5.0])
    ends = committed + np.array([2_000.0, 2_000.0, 0.0])
    served = todays_group.served(recorded(committed, ends))
    assert served is not None
    assert (served.rate, served.intervals) == (110.0, 8)
    assert 100.0 <= served.low < served.high <= 120.0


def test_lag_that_commits_explain_is_no_lag() -> None:
    """Members that keep up, and commit every 5 s, are seen with 2.5 s of their rate."""
    committed = growing([100.0, 120.0])
    served = todays_group.served(recorded(committed, committed + np.array([250.0, 300.0])))
    assert served is not None
    assert (served.rate, served.intervals) == (80.0, 0)


def test_without_lag_it_is_a_lower_bound() -> None:
    """What 10 s show may have been read in 15: since a commit of 5 s before."""
    committed = growing([100.0, 120.0])
    served = todays_group.served(recorded(committed, committed))
    assert served is not None
    assert (served.rate, served.intervals) == (80.0, 0)
    assert math.isnan(served.low)


def test_intervals_in_which_owners_change_or_offsets_jump_back_do_not_count() -> None:
    committed = growing([100.0, 100.0])
    ends = committed + 1.0
    owners = np.array([[0, 1], [1, 0], [0, 1], [1, 0], [NO_MEMBER, NO_MEMBER]])
    assert todays_group.served(recorded(committed, ends, owners)) is None
    back = committed[::-1].copy()
    assert todays_group.served(recorded(back, back + 1.0)) is None
    group = recorded(committed, ends, owners)
    assert todays_group.members_of(group) == 2
    idle = recorded(committed, ends, np.full((5, 2), NO_MEMBER))
    assert todays_group.members_of(idle) is None


@pytest.mark.parametrize(("mu", "lag", "fits"), [(100.0, 500.0, True), (100.0, 2e5, False),
                                                 (30.0, 500.0, False)])  # fmt: skip
def test_the_model_fits_if_lags_are_alike(mu: float, lag: float, fits: bool) -> None:
    """Two members with 40 events/s each: at a rate of 30 the simulated lag grows without end."""
    rates = np.full((60, 2), 40.0)
    question = asked(Objective(99.0, 1.0), mu=mu, spread=Spread(1e-3, 1e6))
    bench, _ = recommendation_question.prepare(rates, 60.0, question)
    committed = growing([40.0, 40.0])
    today = todays_group.compared(
        bench, consumer_settings.KAFKAS_DEFAULT, recorded(committed, committed + lag / 2.0)
    )
    assert today is not None
    assert today.members == 2
    assert today.lag == pytest.approx(lag)
    assert today.fits == fits
