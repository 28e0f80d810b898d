"""What the next week brings to each candidate: the chance to keep the objective, and the cost.

How the parts fit together:

1. Simulate each candidate on the recording at several factors on the load and add its figures up by
   day: `DayOutcomes`.
2. `day_levels.day_levels` gives each day's level from the rates.
3. `week_draws.draw_weeks` draws weeks from the levels, the same ones for all candidates.
4. `next_week` gives each candidate's cost and share of late events in each of them: `kept` is the
   chance, `cost_interval` the interval of its cost, `saves` compares two of them.
5. `resampled_choice.resampled_choice` makes the whole choice on resampled days and judges it on the
   others.

A recording from 7 days on has a chance that may be stated. Below, `kept` decides as well, but is
not stated as a percentage: two or three days cannot show how days differ, so that the answer rests
on `Spread.day_spread`. Below one day the recording is one shape of its own length (one row of
`DayOutcomes`, ``draw_weeks(..., days=1)``), and the answer speaks of another such stretch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.intervals import Interval
from algorithms.inference.week_draws import Draws

_CELLS = 96
"""Cells between the least and the greatest factor, alike in their logs."""

_FLOOR = 0.01
"""Late shares are interpolated by their logs, after adding this part of what is allowed."""

_FIGURES = 3
"""Events, late events and cost."""

_ROUNDING = 1e-9
_LEAST = 1e-300
_LEAST_ALLOWED = 1e-6


class DayOutcomes(NamedTuple):
    """Figures of k candidates on n recorded days, simulated at f load factors."""

    factors: Floats
    """float64[f]: factors on the load, ascending, with 1."""
    hours: Floats
    """float64[n]: length of each day, hours."""
    events: Floats
    late: Floats
    cost: Floats
    """`events`, `late`, `cost`: float64[k, n, f]: events, those of them that are late, and cost of
    each day."""


class NextWeek(NamedTuple):
    """Outcomes of k candidates in w drawn weeks, the same ones for all."""

    kept: Floats
    """float64[k]: chance that a week keeps the objective."""
    late: Floats
    """float64[k, w]: share of a week's events that are late."""
    cost: Floats
    """float64[k, w]: cost per hour of a week."""


def next_week(outcomes: DayOutcomes, draws: Draws, allowed: float) -> NextWeek:
    """Outcomes of all candidates in drawn weeks.

    outcomes: At least one candidate, day and factor.
    draws: From `week_draws.draw_weeks`, of the same days.
    allowed: Share of a week's events that may be late.
    Returns: days drawn beyond the least or greatest factor count as if at that factor.

    Between two factors, events and cost are interpolated linearly in the log of the factor, the
    share of late events by the log of its sum with a hundredth of `allowed`. O(k w).

    >>> late = np.array([[[0.0, 0.0, 90.0]], [[0.0, 0.0, 0.0]]])
    >>> cost, events = np.array([[[2.0] * 3], [[3.0] * 3]]), np.full((2, 1, 3), 100.0)
    >>> days = DayOutcomes(np.array([0.5, 1.0, 2.0]), np.array([1.0]), events, late, cost)
    >>> week = next_week(days, Draws(np.zeros((2, 7), int), np.array([[1.0] * 7, [2.0] * 7])), 0.01)
    >>> week.kept.tolist(), week.cost[:, 0].tolist()
    ([0.5, 1.0], [2.0, 3.0])
    """
    return drawn(grid(outcomes, allowed), draws, allowed)


def grid(outcomes: DayOutcomes, allowed: float) -> Grid:
    """Outcomes between the load factors, made once for several sets of draws."""
    check_outcomes(outcomes)
    logs = np.log(outcomes.factors)
    low, high = float(logs[0]), float(logs[-1])
    points = np.linspace(low, high, _CELLS + 1)
    right = np.clip(np.searchsorted(logs, points, side="right"), 1, max(logs.size - 1, 1))
    left = right - 1
    right = np.minimum(right, logs.size - 1)
    with np.errstate(invalid="ignore"):
        weight = np.where(right > left, (points - logs[left]) / (logs[right] - logs[left]), 0.0)
    floor = max(allowed, _LEAST_ALLOWED) * _FLOOR
    late = np.where(outcomes.events > 0.0, outcomes.late, 0.0)
    share = np.log(late / np.maximum(outcomes.events, _LEAST) + floor)
    events = _between(outcomes.events, left, right, weight)
    share = np.exp(_between(share, left, right, weight)) - floor
    cost = _between(outcomes.cost, left, right, weight)
    figures = np.maximum(np.stack([events, share * events, cost]), 0.0)
    values = np.ascontiguousarray(figures.transpose(2, 3, 0, 1))
    per_log = _CELLS / (high - low) if high > low else 0.0
    return Grid(low, per_log, outcomes.hours, values)


class Grid(NamedTuple):
    """Outcomes at evenly spaced logs of the load factor."""

    low: float
    per_log: float
    """`low`, `per_log`: log of the least factor, and points per unit of the log."""
    hours: Floats
    """float64[n]: length of each day, hours."""
    values: Floats
    """float64[n, g, 3, k]: events, late events and cost."""


def drawn(points: Grid, draws: Draws, allowed: float) -> NextWeek:
    """`next_week` from a grid."""
    if draws.day.max(initial=0) >= points.hours.size:
        raise InvalidParameterError(
            f"draws must be of {points.hours.size} days (got day {draws.day.max()})"
        )
    _, g, _, k = points.values.shape
    with np.errstate(divide="ignore"):
        place = np.clip((np.log(draws.factor) - points.low) * points.per_log, 0.0, g - 1.0)
    cell = np.minimum(place.astype(np.int64), g - 2)
    sums = np.zeros((len(place), _FIGURES * k))
    rows = points.values.reshape(-1, _FIGURES * k)
    _add_up(rows, draws.day * g + cell, place - cell, sums)
    events, late, cost = sums[:, :k], sums[:, k : 2 * k], sums[:, 2 * k :]
    late = np.where(events > 0.0, late, 0.0) / np.maximum(events, _LEAST)
    cost = cost / points.hours[draws.day].sum(axis=1, keepdims=True)
    kept = (late <= allowed + _ROUNDING).mean(axis=0)
    return NextWeek(kept, late.T, cost.T)


@kernel
def _add_up(values: Floats, first: Longs, part: Floats, sums: Floats) -> None:
    """Sums of each period, float64[w, 3 k], of rows of values: a row and the next one, mixed."""
    for w in range(first.shape[0]):
        own = sums[w]
        for j in range(first.shape[1]):
            low = values[first[w, j]]
            high = values[first[w, j] + 1]
            b = part[w, j]
            a = 1.0 - b
            for i in range(own.size):
                own[i] += a * low[i] + b * high[i]


def cost_interval(week: NextWeek, i: int, level: float = 0.95) -> Interval:
    """Median cost per hour of candidate i in the next week, with the interval that holds it."""
    return _interval(week.cost[i], level)


def on_time_interval(week: NextWeek, i: int, level: float = 0.95) -> Interval:
    """Median share of candidate i's events in time in the next week, with its interval."""
    return _interval(1.0 - week.late[i], level)


def saves(week: NextWeek, i: int, j: int, worth: float = 0.0) -> float:
    """Share of the weeks in which candidate i costs at least a part `worth` less than j."""
    return float((week.cost[i] <= week.cost[j] * (1.0 - worth)).mean())


def keeps_recording(outcomes: DayOutcomes, allowed: float) -> Bools:
    """Whether each candidate keeps the objective on the recorded days themselves."""
    at = int(np.abs(outcomes.factors - 1.0).argmin())
    events, late = outcomes.events[:, :, at].sum(axis=1), outcomes.late[:, :, at].sum(axis=1)
    kept: Bools = late <= (allowed + _ROUNDING) * events
    return kept


def check_outcomes(outcomes: DayOutcomes) -> None:
    """Raise `InvalidParameterError` unless shapes and figures fit each other."""
    factors, hours = outcomes.factors, outcomes.hours
    shape = outcomes.events.shape
    if factors.ndim != 1 or not (np.isfinite(factors) & (factors > 0.0)).all():
        raise InvalidParameterError("factors must be finite and above 0")
    if (np.diff(factors) <= 0.0).any() or not (np.abs(factors - 1.0) < _ROUNDING).any():
        raise InvalidParameterError(f"factors must ascend and hold 1 (got {factors.tolist()})")
    if len(shape) != 3 or 0 in shape or shape[1:] != (hours.size, factors.size):
        raise InvalidParameterError(
            f"events must have shape (candidates, {hours.size} days, {factors.size} factors) "
            f"(got {shape})"
        )
    for name in ("events", "late", "cost"):
        values = getattr(outcomes, name)
        if values.shape != shape or not (np.isfinite(values) & (values >= 0.0)).all():
            raise InvalidParameterError(f"{name} must have shape {shape}, finite and at least 0")
    if not (np.isfinite(hours) & (hours > 0.0)).all():
        raise InvalidParameterError("hours must be finite and above 0")


def _between(values: Floats, left: Longs, right: Longs, weight: Floats) -> Floats:
    mixed: Floats = values[..., left] * (1.0 - weight) + values[..., right] * weight
    return mixed


def _interval(values: Floats, level: float) -> Interval:
    tail = (1.0 - level) / 2.0
    low, middle, high = np.quantile(values, (tail, 0.5, 1.0 - tail)).tolist()
    if math.isnan(middle):
        return Interval(math.nan, math.nan, math.nan)
    return Interval(middle, low, high)
