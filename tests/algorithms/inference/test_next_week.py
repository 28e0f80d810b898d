"""Outcomes of drawn weeks, against the definition and where the answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference import next_week as model
from algorithms.inference.next_week import DayOutcomes, NextWeek, next_week
from algorithms.inference.resampled_choice import cheapest_kept, resampled_choice
from algorithms.inference.week_draws import Draws, Spread, draw_weeks

pytestmark = pytest.mark.unit

FACTORS = np.geomspace(0.25, 4.0, 33)
ALLOWED = 0.01


def constants(levels: np.ndarray, sizes: np.ndarray) -> DayOutcomes:
    """Constant groups: all events above what they serve are late."""
    load = np.exp(levels)[:, None] * FACTORS
    events = np.broadcast_to(1000.0 * load, (sizes.size, *load.shape)).copy()
    late = events * np.clip(1.0 - sizes[:, None, None] / load, 0.0, 1.0)
    cost = np.broadcast_to(24.0 * sizes[:, None, None], events.shape).copy()
    return DayOutcomes(FACTORS, np.full(levels.size, 24.0), events, late, cost)


def at(outcomes: DayOutcomes, name: str, k: int, day: int, factor: float) -> float:
    values, logs = getattr(outcomes, name)[k, day], np.log(outcomes.factors)
    if name == "late":
        shares = np.log(values / outcomes.events[k, day] + ALLOWED / 100.0)
        share = math.exp(np.interp(math.log(factor), logs, shares)) - ALLOWED / 100.0
        return share * at(outcomes, "events", k, day, factor)
    return float(np.interp(math.log(factor), logs, values))


def test_weeks_add_up_their_days() -> None:
    rng = np.random.default_rng(2)
    outcomes = DayOutcomes(
        np.array([0.5, 1.0, 2.0]),
        np.array([24.0, 23.0]),
        rng.uniform(50.0, 100.0, (3, 2, 3)),
        rng.uniform(0.0, 5.0, (3, 2, 3)),
        rng.uniform(1.0, 9.0, (3, 2, 3)),
    )
    factors = np.exp(np.round(rng.uniform(-48, 48, (6, 7))) / 48 * math.log(2.0))
    draws = Draws(rng.integers(0, 2, (6, 7)), factors)
    week = next_week(outcomes, draws, ALLOWED)
    for k in range(3):
        for w in range(6):
            days = list(zip(draws.day[w], draws.factor[w], strict=True))
            late, events, cost = (
                sum(at(outcomes, name, k, d, f) for d, f in days)
                for name in ("late", "events", "cost")
            )
            assert week.late[k, w] == pytest.approx(late / events, rel=1e-9)
            assert week.cost[k, w] == pytest.approx(cost / outcomes.hours[draws.day[w]].sum())
    assert week.kept.tolist() == (week.late <= ALLOWED).mean(axis=1).tolist()


def test_beyond_the_factors_the_last_one_counts() -> None:
    outcomes = constants(np.zeros(1), np.array([1.0]))
    far, end = (
        next_week(outcomes, Draws(np.zeros((1, 7), int), np.full((1, 7), f)), ALLOWED)
        for f in (1e9, 4.0)
    )
    assert far.late[0, 0] == end.late[0, 0] == pytest.approx(0.75)


def test_the_chance_is_that_of_the_true_process() -> None:
    """Levels are normal: over many recordings, the chance meets the share of fresh weeks."""
    rng = np.random.default_rng(11)
    sizes = np.array([1.3, 1.5, 1.7, 2.0])
    stated, kept = [], []
    for recording in range(60):
        mean, sigma = rng.normal(0.0, 0.1), rng.uniform(0.1, 0.3)
        levels = rng.normal(mean, sigma, 10)
        draws = draw_weeks(levels, draws=400, seed=recording)
        stated.append(next_week(constants(levels, sizes), draws, ALLOWED).kept)
        fresh = np.exp(rng.normal(mean, sigma, (200, 7)))
        late = np.maximum(fresh[:, :, None] - sizes, 0.0).sum(axis=1) / fresh.sum(axis=1)[:, None]
        kept.append((late <= ALLOWED).mean(axis=0))
    assert np.mean(stated, axis=0) == pytest.approx(np.mean(kept, axis=0), abs=0.06)


def test_more_capacity_never_lowers_the_chance() -> None:
    levels = np.random.default_rng(0).normal(0.0, 0.2, 7)
    week = next_week(constants(levels, np.linspace(0.5, 3.0, 12)), draw_weeks(levels), ALLOWED)
    assert (np.diff(week.kept) >= 0.0).all()
    assert week.kept[0] < 0.05
    assert week.kept[-1] > 0.95


def test_intervals_and_comparisons_are_those_of_the_weeks() -> None:
    week = NextWeek(
        np.ones(2), np.array([[0.1] * 4, [0.0] * 4]), np.array([[1, 2, 3, 4.0], [4] * 4])
    )
    assert model.cost_interval(week, 0, level=0.5) == pytest.approx((2.5, 1.75, 3.25))
    assert model.on_time_interval(week, 0) == pytest.approx((0.9, 0.9, 0.9))
    assert model.saves(week, 0, 1) == 1.0
    assert model.saves(week, 0, 1, worth=0.3) == 0.5
    assert model.saves(week, 1, 0, worth=0.05) == 0.0


def test_the_recording_itself() -> None:
    outcomes = constants(np.log([1.0, 1.0, 2.0]), np.array([1.0, 1.9, 1.97, 2.0]))
    assert model.keeps_recording(outcomes, 0.02).tolist() == [False, False, True, True]


def test_choices_are_judged_on_days_that_they_have_not_seen() -> None:
    """Levels that scatter little need one size; one that scatters much has late events."""
    sizes = np.linspace(0.8, 4.0, 33)
    calm = np.random.default_rng(4).normal(0.0, 0.01, 12)
    choice = resampled_choice(
        constants(calm, sizes), calm, ALLOWED, cheapest_kept(), spread=Spread(0.01), resamples=20
    )
    assert set(sizes[choice.picks].round(1)) <= {1.0, 1.1}
    assert choice.cost == pytest.approx(sizes[choice.picks].mean(), rel=0.05)
    assert choice.late <= ALLOWED
    wild = np.random.default_rng(4).standard_t(2, 12)
    assert (
        resampled_choice(constants(wild, sizes), wild, ALLOWED, lambda week: 3, resamples=20).late
        > 0.0
    )
    assert math.isnan(resampled_choice(constants(calm[:1], sizes), calm[:1], 0.01, len).cost)


def test_where_nothing_is_chosen_nothing_is_judged() -> None:
    levels = np.zeros(5)
    choice = resampled_choice(
        constants(levels, np.array([0.5])), levels, ALLOWED, cheapest_kept(), resamples=9
    )
    assert choice.picks.tolist() == [-1] * 9
    assert math.isnan(choice.cost)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"factors": np.array([1.0, 0.5, 2.0])}, "factors must ascend"),
        ({"factors": np.array([0.5, 0.9, 2.0])}, "hold 1"),
        ({"hours": np.array([24.0])}, "events must have shape"),
        ({"hours": np.array([24.0, 0.0])}, "hours must be finite and above 0"),
        ({"late": np.full((1, 2, 3), -1.0)}, "late must have shape"),
        ({"cost": np.full((1, 2, 3), np.nan)}, "cost must have shape"),
    ],
)
def test_wrong_outcomes(changed: dict[str, np.ndarray], message: str) -> None:
    ones = np.ones((1, 2, 3))
    outcomes = DayOutcomes(np.array([0.5, 1.0, 2.0]), np.full(2, 24.0), ones, ones, ones)
    with pytest.raises(InvalidParameterError, match=message):
        next_week(outcomes._replace(**changed), Draws(np.zeros((1, 7), int), np.ones((1, 7))), 0.01)


def test_draws_of_other_days() -> None:
    outcomes = constants(np.zeros(2), np.array([1.0]))
    with pytest.raises(InvalidParameterError, match="draws must be of 2 days"):
        next_week(outcomes, draw_weeks(np.zeros(9)), ALLOWED)
