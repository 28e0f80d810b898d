"""What the model states from recordings of a load, and what fresh weeks of it keep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.inference.day_levels import day_levels
from algorithms.inference.next_week import DayOutcomes, NextWeek, drawn, grid
from algorithms.inference.resampled_choice import cheapest_kept
from algorithms.inference.week_draws import Spread, draw_weeks
from tools.bench.certainty import groups
from tools.bench.certainty.families import STEP_S, STEPS, WEEK, Family, load
from tools.bench.certainty.groups import ALLOWED, LATENCY_S, SIZES

DAYS = (1, 2, 3, 7, 14, 28)
FRESH_WEEKS = 20
FACTORS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.1, 2.5, 3.0)
THRESHOLDS = (0.5, 0.8, 0.95)
"""Chances at which the smallest constant group is looked for; the last one is the default."""

_CONSTANT = len(SIZES)


class SimulatedWeeks(NamedTuple):
    """All that is simulated of a workload."""

    recorded: DayOutcomes
    """Candidates on the 28 recorded days, at all load factors."""
    levels: Floats
    """Levels of these days."""
    weekend: Bools
    """Days at a weekend."""
    late: Floats
    cost: Floats
    """`late`, `cost`: share of late events, and cost per hour, in each fresh week."""


class StatedWeek(NamedTuple):
    """What came out for one recording of one workload."""

    family: str
    """Family of the load."""
    held_out: bool
    """Whether the family only checks."""
    days: int
    """Days recorded."""
    stated: tuple[float, ...]
    kept: tuple[float, ...]
    """`stated`, `kept`: chance of the smallest constant group that reaches each threshold, and the
    share of the fresh weeks in which it keeps the objective."""
    constant_cost: float
    """Cost of the constant group at 95 % over that of the smallest that really keeps the objective
    in at least 95 % of the fresh weeks."""
    chosen_stated: float
    chosen_kept: float
    chosen_cost: float
    """`chosen_stated`, `chosen_kept`, `chosen_cost`: the same of the cheapest candidate of all
    kinds at 95 %."""
    covered: float
    """Share of the fresh weeks in which the cost is within its interval, of followers."""


def simulated(family: Family, workload: int) -> SimulatedWeeks:
    """Simulate the recorded days at all load factors, and fresh weeks as they are."""
    recording = load(family, workload, "recorded", DAYS[-1])
    startup = groups.startup(family, workload)
    runs = [groups.totals(recording.rates, startup, factor) for factor in FACTORS]
    figures = (np.stack(each, axis=-1) for each in zip(*runs, strict=True))
    edges = np.arange(DAYS[-1] + 1, dtype=np.int64) * STEPS
    outcomes = DayOutcomes(np.array(FACTORS), np.full(DAYS[-1], 24.0), *figures)
    levels = day_levels(recording.rates.ravel(), edges, STEP_S, LATENCY_S, ALLOWED)
    late, cost = np.empty((2, len(outcomes.cost), FRESH_WEEKS))
    for i in range(FRESH_WEEKS):
        week = groups.totals(load(family, workload, f"fresh {i}", WEEK).rates, startup)
        late[:, i] = week.late.sum(axis=1) / week.events.sum(axis=1)
        cost[:, i] = week.cost.sum(axis=1) / (24.0 * WEEK)
    return SimulatedWeeks(outcomes, levels, recording.weekend, late, cost)


def judged(
    family: Family,
    workload: int,
    weeks: SimulatedWeeks,
    spread: Spread = Spread(),  # noqa: B008
) -> Iterator[StatedWeek]:
    """What the model states from the first days of a recording, against the fresh weeks."""
    points = grid(weeks.recorded, ALLOWED)
    really = (weeks.late <= ALLOWED).mean(axis=1)
    for days in DAYS:
        weekend = weeks.weekend[:days]
        draws = draw_weeks(weeks.levels[:days], spread, weekend=weekend, seed=workload)
        week = drawn(points, draws, ALLOWED)
        sizes = [_smallest(week, threshold) for threshold in THRESHOLDS]
        chosen = cheapest_kept(THRESHOLDS[-1])(week)
        chosen = _CONSTANT - 1 if chosen < 0 else chosen
        yield StatedWeek(
            family.name,
            family.held_out,
            days,
            tuple(float(week.kept[i]) for i in sizes),
            tuple(float(really[i]) for i in sizes),
            _over_cheapest(weeks, really, sizes[-1], np.arange(_CONSTANT)),
            float(week.kept[chosen]),
            float(really[chosen]),
            _over_cheapest(weeks, really, chosen, np.arange(really.size)),
            _covered(week, weeks),
        )


def _smallest(week: NextWeek, threshold: float) -> int:
    """Smallest constant group whose chance reaches a threshold, or the largest of all."""
    enough = np.flatnonzero(week.kept[:_CONSTANT] >= threshold)
    return int(enough[0]) if enough.size else _CONSTANT - 1


def _over_cheapest(weeks: SimulatedWeeks, really: Floats, chosen: int, among: Longs) -> float:
    """Cost of a candidate over that of the cheapest which really keeps the objective."""
    cost = weeks.cost.mean(axis=1)
    keeps = among[really[among] >= THRESHOLDS[-1]]
    return float(cost[chosen] / (cost[keeps].min() if keeps.size else cost[_CONSTANT - 1]))


def _covered(week: NextWeek, weeks: SimulatedWeeks) -> float:
    low, high = np.quantile(week.cost[_CONSTANT:], (0.025, 0.975), axis=1)[..., None]
    cost = weeks.cost[_CONSTANT:]
    return float(((cost >= low) & (cost <= high)).mean())
