"""Weeks that may follow a recording: which recorded day each day resembles, and at what load."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs, check_count, check_seed
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.seeds import derive_seed

WEEK_DAYS = 7
WEEKEND_DAYS = 2
FEWEST_STATED = 7
"""Days from which the chance of the next week is a percentage."""

FROM_CLASSES = 14
"""Days from which weekdays and weekends have levels of their own."""

TAIL = 3.0
"""Degrees of freedom of a day's deviation from the mean level."""

WORTH_PAIRS = 5.0
"""Weight of the assumption that successive days do not resemble each other, in pairs of days."""

MOST_CORRELATION = 0.9
MAX_DRAWS = 1_000_000


class Spread(NamedTuple):
    """What is assumed of the differences between days before any are recorded."""

    day_spread: float = 0.2
    """Standard deviation s0 of a day's log level; 0.2 is "days differ by 20 %"."""
    worth_days: float = 4.0
    """Weight ν0 of that assumption, in recorded differences. 4 was set on three families of loads
    and checked on three others (docs/certainty-table.md)."""


class Draws(NamedTuple):
    """Drawn periods: weeks of seven days, or single stretches of a recording below a day."""

    day: Longs
    """int64[w, d]: recorded day whose shape is repeated; d is 7, or 1 for a recording below a
    day."""
    factor: Floats
    """float64[w, d]: factor on the load of that recorded day."""


def draw_weeks(
    levels: Floats,
    spread: Spread = Spread(),  # noqa: B008  # a tuple of numbers
    *,
    weekend: Bools | None = None,
    days: int = WEEK_DAYS,
    draws: int = 2_000,
    seed: int = 0,
) -> Draws:
    """Draw periods from the model of day levels.

    levels: float64[n], level of each recorded day, the log of a rate; -inf for a day without
        events.
    weekend: bool[n], days that are at a weekend. From 14 days with both kinds on, each kind has its
        own shapes and its own mean level, and a week has five days of one and two of the other.
    days: Days of a period: 7, or 1 for a recording that is shorter than a day.
    draws: Periods w.
    Returns: a day without events is repeated as it is.

    With n levels of variance s² (within the kinds of days): σ² is drawn as ``S / χ²`` with
    ν0 + n - 1 degrees of freedom and ``S = ν0 s0² + (n - 1) s²``, the mean from N(m, σ² / n), and
    each day deviates from it by ``σ t / √3``, where t has 3 degrees of freedom, so that σ² is the
    variance of a day. From 7 days on, successive days are correlated: ρ is drawn around the
    correlation found, shrunk to 0, so that n days count as ``n (1 - ρ) / (1 + ρ)``, and the
    deviations of a week follow each other by ρ. O(w d).

    >>> weeks = draw_weeks(np.log([90.0, 110.0, 100.0]), draws=500)
    >>> weeks.day.shape, bool(0.9 < np.median(weeks.factor) < 1.1)
    ((500, 7), True)
    """
    levels, spread = _check(levels, spread)
    days = check_count("days", days, 1, WEEK_DAYS)
    draws = check_count("draws", draws, 1, MAX_DRAWS)
    generator = np.random.Generator(np.random.PCG64(derive_seed(check_seed(seed), "next week")))
    kinds = _kinds(levels, weekend, days)
    sigma = _sigma(levels, kinds, spread, draws, generator)
    likeness = _correlation(levels, kinds, draws, generator)
    deviations = sigma * _deviations(likeness, days, generator)
    day = np.empty((draws, days), np.int64)
    factor = np.ones((draws, days))
    start = 0
    for members, count in kinds:
        part = slice(start, start + count)
        day[:, part] = members[generator.integers(0, members.size, (draws, count))]
        mean = _mean_level(levels[members], sigma, likeness, generator)
        factor[:, part] = _factors(levels[day[:, part]], mean + deviations[:, part])
        start += count
    return Draws(day, factor)


Kind = tuple[Longs, int]
"""Recorded days of one kind, and how many days of a period are of it."""


def _kinds(levels: Floats, weekend: Bools | None, days: int) -> list[Kind]:
    everything = np.arange(levels.size)
    if weekend is None or levels.size < FROM_CLASSES or days < WEEK_DAYS:
        return [(everything, days)]
    if weekend.shape != levels.shape:
        raise InvalidParameterError(
            f"weekend must have one value per day, {levels.size} (got shape {weekend.shape})"
        )
    if weekend.all() or not weekend.any():
        return [(everything, days)]
    return [(everything[~weekend], days - WEEKEND_DAYS), (everything[weekend], WEEKEND_DAYS)]


def _sigma(
    levels: Floats, kinds: list[Kind], spread: Spread, draws: int, generator: np.random.Generator
) -> Floats:
    """Standard deviation of a day's level in each period, float64[w, 1]."""
    squares, freedom = spread.worth_days * spread.day_spread**2, spread.worth_days
    for members, _ in kinds:
        busy = levels[members][np.isfinite(levels[members])]
        if busy.size > 1:
            squares += float(((busy - busy.mean()) ** 2).sum())
            freedom += busy.size - 1
    sigma: Floats = np.sqrt(squares / generator.chisquare(freedom, (draws, 1)))
    return sigma


def _correlation(
    levels: Floats, kinds: list[Kind], draws: int, generator: np.random.Generator
) -> Floats:
    """Correlation of successive days in each period, float64[w, 1], between 0 and 0.9."""
    n = levels.size
    if n < FEWEST_STATED:
        return np.zeros((draws, 1))
    residuals = np.zeros(n)
    for members, _ in kinds:
        busy = members[np.isfinite(levels[members])]
        if busy.size:
            residuals[busy] = levels[busy] - levels[busy].mean()
    squares = float((residuals**2).sum())
    estimate = float((residuals[1:] * residuals[:-1]).sum()) / squares if squares > 0.0 else 0.0
    # The estimate is too low by (1 + 3 ρ) / n (Kendall 1954).
    likely = (estimate + (1.0 + 3.0 * estimate) / n) * n / (n + WORTH_PAIRS)
    scatter = math.sqrt(max(1.0 - likely**2, 0.05) / (n + WORTH_PAIRS))
    drawn = likely + scatter * generator.standard_normal((draws, 1))
    return np.clip(drawn, 0.0, MOST_CORRELATION)


def _deviations(likeness: Floats, days: int, generator: np.random.Generator) -> Floats:
    """Deviations of days from their mean level, with variance 1."""
    values = generator.standard_t(TAIL, (likeness.size, days)) / math.sqrt(TAIL / (TAIL - 2.0))
    for j in range(1, days):
        before, own = values[:, j - 1 : j], values[:, j : j + 1]
        values[:, j : j + 1] = likeness * before + np.sqrt(1.0 - likeness**2) * own
    return values


def _mean_level(
    levels: Floats, sigma: Floats, likeness: Floats, generator: np.random.Generator
) -> Floats:
    """Mean level of days of a kind in each period, float64[w, 1]."""
    busy = levels[np.isfinite(levels)]
    worth = np.maximum(busy.size * (1.0 - likeness) / (1.0 + likeness), 1.0)
    error = sigma / np.sqrt(worth) * generator.standard_normal(sigma.shape)
    return error + (float(busy.mean()) if busy.size else 0.0)


def _factors(recorded: Floats, level: Floats) -> Floats:
    """Factors that bring recorded days to a level; days without events stay as they are."""
    finite = np.isfinite(recorded)
    with np.errstate(over="ignore"):
        factor: Floats = np.exp(level - np.where(finite, recorded, level))
    return factor


def _check(levels: Floats, spread: Spread) -> tuple[Floats, Spread]:
    levels = np.asarray(levels, np.float64)
    if levels.ndim != 1 or levels.size == 0 or (np.isnan(levels) | (levels == np.inf)).any():
        raise InvalidParameterError(
            "levels must be one number per day, below infinity, at least one"
        )
    for name, value in spread._asdict().items():
        if not (math.isfinite(value) and value > 0.0):
            raise InvalidParameterError(f"{name} must be finite and above 0 (got {value})")
    return levels, spread
