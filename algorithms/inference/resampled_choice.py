"""The whole choice made on resampled days, and judged on the days that were not drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs, check_count, check_seed
from algorithms.core.seeds import derive_seed
from algorithms.inference.next_week import DayOutcomes, Grid, NextWeek, drawn, grid
from algorithms.inference.week_draws import Spread, draw_weeks

RESAMPLES = 200
WEEKS = 300
"""Weeks of each resample: a chance near 95 % is then known within 1.3 points."""

Choose = Callable[[NextWeek], int]
"""Gives the position of the chosen candidate, -1 for none."""


class ResampledChoice(NamedTuple):
    """How choices do on days that they have not seen."""

    picks: Longs
    """int64[r]: candidate of each resample, -1 where nothing was chosen."""
    cost: float
    """Cost per hour on the days not drawn."""
    late: float
    """Share of late events there."""


def cheapest_kept(confidence: float = 0.95) -> Choose:
    """The cheapest candidate, by mean cost, whose chance reaches a confidence; -1 if none does."""

    def choose(week: NextWeek) -> int:
        enough = week.kept >= confidence
        if not enough.any():
            return -1
        return int(np.where(enough, week.cost.mean(axis=1), math.inf).argmin())

    return choose


def resampled_choice(
    outcomes: DayOutcomes,
    levels: Floats,
    allowed: float,
    choose: Choose,
    *,
    spread: Spread = Spread(),  # noqa: B008  # a tuple of numbers
    weekend: Bools | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> ResampledChoice:
    """Choose on resampled days, and judge each choice on the days that were not drawn.

    What is best on a recording is partly best by chance, and does somewhat worse elsewhere.

    outcomes, levels, allowed, spread, weekend: As for `next_week` and `draw_weeks`.
    choose: The rule: from a `NextWeek` to the position of a candidate, or -1.
    Returns: NaN for fewer than 2 days, from which nothing can be left out.

    Efron and Tibshirani 1997 (out-of-bag): n days with replacement, of which some 37 % are never
    drawn. Resamples that drew every day, or chose nothing, are not judged. O(r k w).
    """
    resamples, n = check_count("resamples", resamples, 1, 10_000), levels.size
    root = derive_seed(check_seed(seed), "resampled choice")
    if n < 2:
        return ResampledChoice(np.empty(0, np.int64), math.nan, math.nan)
    points = grid(outcomes, allowed)
    generator = np.random.Generator(np.random.PCG64(root))
    picks = np.full(resamples, -1, np.int64)
    sums = np.zeros(4)
    for r, days in enumerate(np.sort(generator.integers(0, n, (resamples, n)), axis=1)):
        week = _week(points, levels, weekend, days, allowed, spread, derive_seed(root, r))
        picks[r] = choose(week)
        unseen = np.setdiff1d(np.arange(n), days)
        if picks[r] >= 0 and unseen.size:
            sums += _judged(outcomes, int(picks[r]), unseen)
    cost, hours, late, events = sums.tolist()
    if hours <= 0.0:
        return ResampledChoice(picks, math.nan, math.nan)
    return ResampledChoice(picks, cost / hours, late / events if events > 0.0 else 0.0)


def _week(
    points: Grid,
    levels: Floats,
    weekend: Bools | None,
    days: Longs,
    allowed: float,
    spread: Spread,
    seed: int,
) -> NextWeek:
    kinds = None if weekend is None else weekend[days]
    draws = draw_weeks(levels[days], spread, weekend=kinds, draws=WEEKS, seed=seed)
    return drawn(points, draws._replace(day=days[draws.day]), allowed)


def _judged(outcomes: DayOutcomes, pick: int, days: Longs) -> Floats:
    """Cost, hours, late events and events on some days."""
    at = int(np.abs(outcomes.factors - 1.0).argmin())
    cost, late, events = (
        values[pick, days, at].sum() for values in (outcomes.cost, outcomes.late, outcomes.events)
    )
    return np.array([cost, outcomes.hours[days].sum(), late, events])
