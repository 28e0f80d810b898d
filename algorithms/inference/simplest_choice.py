"""The cheapest of several candidates that keeps an objective, unless a simpler one is as good."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Longs
from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.next_week import NextWeek, saves

OFTEN = 0.8
"""Share of the drawn weeks in which a less simple candidate must save what it is worth."""

NONE = -1


class Rule(NamedTuple):
    """What a choice must fulfil."""

    confidence: float = 0.95
    """Chance with which the next week must keep the objective."""
    worth: float = 0.05
    """Share of the cost that a less simple candidate must save in `OFTEN` of the weeks."""


class Choice(NamedTuple):
    """What is chosen, by position."""

    pick: int
    """The choice; `NONE` if no candidate keeps the objective."""
    cheapest: int
    """The cheapest that keeps it, however simple; `NONE` without any."""


def choose(week: NextWeek, tiers: Longs, may: Bools, rule: Rule) -> Choice:
    """Choose among k candidates.

    tiers: int64[k], how simple each one is, 0 for the simplest.
    may: bool[k], whether each one may be chosen.

    Of each tier the cheapest by mean cost that keeps the objective counts, the first of equals.
    Tiers are taken from the simplest on; the choice changes where the next one saves enough
    compared with the choice so far. O(k w).

    >>> week = NextWeek(np.ones(2), np.zeros((2, 3)), np.array([[4.0] * 3, [3.9, 3.9, 3.0]]))
    >>> choose(week, np.array([0, 1]), np.array([True, True]), Rule())
    Choice(pick=0, cheapest=1)
    """
    if tiers.shape != week.kept.shape or may.shape != week.kept.shape:
        raise InvalidParameterError(f"tiers and may must have shape {week.kept.shape}")
    kept = may & (week.kept >= rule.confidence)
    if not kept.any():
        return Choice(NONE, NONE)
    # Rounding must not decide between equals.
    cost = np.where(kept, np.round(week.cost.mean(axis=1), 9), np.inf)
    pick = NONE
    for tier in np.unique(tiers[kept]):
        best = int(np.where(tiers == tier, cost, np.inf).argmin())
        if pick == NONE or saves(week, best, pick, rule.worth) >= OFTEN:
            pick = best
    return Choice(pick, int(cost.argmin()))
