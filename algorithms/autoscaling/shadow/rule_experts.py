"""Rules: the fewest replicas for a statistic of the rate, with a margin."""

from __future__ import annotations

from algorithms.autoscaling.shadow import count_levels, rate_statistics
from algorithms.autoscaling.shadow.count_levels import Levels
from algorithms.autoscaling.shadow.late_events import Service
from algorithms.autoscaling.shadow.rate_statistics import Statistics
from algorithms.autoscaling.shadow.shadow_groups import Shadows
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel

MARGINS = (0.55, 0.7, 0.85, 0.93, 1.0, 1.08, 1.2, 1.4, 1.7, 2.1)
"""Factors of the statistics."""

IGNORED, NO_SHRINKING, ADDED = range(3)
"""What lag does: nothing; above a quarter of a second's work of one member, no replica is removed;
it is added to the events of a step."""

COUNT = rate_statistics.COUNT * len(MARGINS) * 3
"""Number of rules."""

_MUCH_LAG_S = 0.25


@kernel
def decide(
    statistics: Statistics, shadows: Shadows, levels: Levels, service: Service, wanted: Longs
) -> None:
    """Fill in the level that each rule asks for, given the lag of its own group.

    Rules are ordered by statistic, margin, and what lag does. O(rules log L).
    """
    e = 0
    for value in statistics.values:
        for margin in MARGINS:
            rate = margin * value
            level = count_levels.least_for(levels, rate)
            for kind in range(3):
                wanted[e] = level
                lag = shadows.lags[e]
                if kind == NO_SHRINKING and lag > _MUCH_LAG_S * service.mu:
                    wanted[e] = max(level, shadows.levels[e])
                if kind == ADDED and lag > 0.0:
                    wanted[e] = count_levels.least_for(levels, rate + lag / service.step_s)
                e += 1


def describe(rule: int) -> tuple[int, float, int]:
    """Statistic, margin and what lag does, of a rule.

    >>> describe(0), describe(COUNT - 1)
    ((0, 0.55, 0), (10, 2.1, 2))
    """
    statistic, rest = divmod(rule, len(MARGINS) * 3)
    margin, kind = divmod(rest, 3)
    return statistic, MARGINS[margin], kind
