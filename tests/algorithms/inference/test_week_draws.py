"""Drawn weeks: which days, at which levels, and how these scatter."""

from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.week_draws import Spread, draw_weeks

pytestmark = pytest.mark.unit

LEVELS = np.log([80.0, 100.0, 125.0])


def drawn_levels(levels: np.ndarray, **arguments: object) -> np.ndarray:
    weeks = draw_weeks(levels, draws=20_000, **arguments)  # type: ignore[arg-type]
    result: np.ndarray = levels[weeks.day] + np.log(weeks.factor)
    return result


def test_the_same_seed_draws_the_same_weeks() -> None:
    one, same, other = (draw_weeks(LEVELS, draws=50, seed=seed) for seed in (1, 1, 2))
    assert (one.day == same.day).all()
    assert (one.factor == same.factor).all()
    assert (one.factor != other.factor).any()


def test_levels_do_not_depend_on_the_shape_that_is_drawn() -> None:
    weeks = draw_weeks(LEVELS, draws=20_000)
    levels = LEVELS[weeks.day] + np.log(weeks.factor)
    medians = [np.median(levels[weeks.day == day]) for day in range(3)]
    assert medians == pytest.approx([math.log(100.0)] * 3, abs=0.01)


def test_scatter_is_that_of_the_model() -> None:
    """Quantiles of the middle half, against the same model in plain words."""
    rng = np.random.default_rng(9)
    squares = 4.0 * 0.2**2 + ((LEVELS - LEVELS.mean()) ** 2).sum()
    sigma = np.sqrt(squares / rng.chisquare(6.0, 200_000))
    mean = LEVELS.mean() + sigma / math.sqrt(3.0) * rng.standard_normal(200_000)
    plain = mean + sigma * rng.standard_t(3.0, 200_000) / math.sqrt(3.0)
    levels = drawn_levels(LEVELS)[:, 0]
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert np.quantile(levels, share) == pytest.approx(np.quantile(plain, share), abs=0.02)


def test_one_day_rests_on_what_is_assumed() -> None:
    narrow, wide = (
        np.ptp(np.quantile(drawn_levels(LEVELS[:1], spread=Spread(s)), (0.25, 0.75)))
        for s in (0.1, 0.3)
    )
    assert wide == pytest.approx(3.0 * narrow, rel=1e-6)


def test_weekends_have_levels_of_their_own_from_14_days_on() -> None:
    weekend = np.arange(14) % 7 >= 5
    levels = np.where(weekend, 0.0, 2.0) + 0.01 * np.arange(14)
    weeks = draw_weeks(levels, Spread(0.01), weekend=weekend, draws=500)
    assert not weekend[weeks.day[:, :5]].any()
    assert weekend[weeks.day[:, 5:]].all()
    assert (weeks.factor < 1.5).all()
    few = draw_weeks(levels[:13], Spread(0.01), weekend=weekend[:13], draws=500)
    assert weekend[few.day[:, 0]].any()
    assert few.factor.max() > 3.0


def test_days_that_follow_each_other_make_weeks_alike() -> None:
    """Weeks of an alternating load scatter less than those of one that drifts."""
    drifting = np.repeat([0.0, 1.0, 0.0, 1.0], 7)
    spreads = {}
    for name, levels in (("drifting", drifting), ("alternating", np.tile([0.0, 1.0], 14))):
        drawn = drawn_levels(levels)
        assert drawn.std() == pytest.approx(0.5, rel=0.25)
        spreads[name] = float(np.ptp(np.quantile(drawn.mean(axis=1), (0.1, 0.9))))
    assert spreads["drifting"] > 1.7 * spreads["alternating"]


def test_a_day_without_events_stays_one() -> None:
    levels = np.array([-np.inf, 0.0, 0.1])
    weeks = draw_weeks(levels, draws=2_000)
    assert (weeks.factor[weeks.day == 0] == 1.0).all()
    assert np.isfinite(weeks.factor).all()
    assert (weeks.day == 0).mean() == pytest.approx(1 / 3, abs=0.03)
    assert (draw_weeks(np.array([-np.inf]), draws=5).factor == 1.0).all()


def test_a_stretch_is_one_shape() -> None:
    assert draw_weeks(LEVELS[:1], days=1, draws=7).factor.shape == (7, 1)


@pytest.mark.parametrize(
    ("levels", "arguments", "message"),
    [
        (np.array([]), {}, "levels must be one number per day"),
        (np.array([np.nan]), {}, "levels must be one number per day"),
        (LEVELS, {"spread": Spread(0.0)}, "day_spread must be finite and above 0"),
        (LEVELS, {"spread": Spread(0.1, math.inf)}, "worth_days must be finite and above 0"),
        (np.zeros(14), {"weekend": np.ones(3, bool)}, "weekend must have one value per day, 14"),
        (LEVELS, {"days": 8}, "days"),
    ],
)
def test_wrong_arguments(levels: np.ndarray, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        draw_weeks(levels, **arguments)  # type: ignore[arg-type]
