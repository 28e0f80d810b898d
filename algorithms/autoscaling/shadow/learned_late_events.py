"""Late events that followed rates like the present one, for each number of replicas.

Events that are left at the end of a step count too: they make later ones late.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling.action_delays import Delays
from algorithms.autoscaling.shadow import count_levels, rate_statistics
from algorithms.autoscaling.shadow.count_levels import Levels
from algorithms.autoscaling.shadow.late_events import Service
from algorithms.autoscaling.shadow.rate_statistics import Statistics
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel
from algorithms.core.portable_math import log

FEATURES = (0, rate_statistics.LEVEL, 2, rate_statistics.UPPER_LEVEL)
"""Statistics by which rates are like each other: the rate itself, its level, its maximum over 8 s,
and the upper level."""

HORIZONS = 2
"""Late events are expected in the time until the next decision, or, if that is more, later on."""

BINS = 64
LEAST_RATE, MOST_RATE = 0.02, 2.0
"""Rates of the first and the last bin: of one member's rate, and of the greatest group's."""

GUESSED = 3.0
"""Observations that the guess for a bin without any counts for."""

_LATER_S = 6.0
_POINTS = 5


class Learned(NamedTuple):
    """What followed the rates of the past."""

    expected: Floats
    """float64[F, 2, 64, L]: mean of the late and left events/s that followed a bin, by feature,
    horizon, bin and level."""
    observations: Floats
    """float64[F, 2, 64]: observations of each mean."""
    bins: Longs
    """int64[F, R]: bins of the last R decisions, in a ring."""
    decisions: Longs
    """int64[1]: decisions so far."""
    running: Floats
    """float64[L]: late and left events/s of each level since the last decision, without lag and
    pauses."""
    guess: Floats
    """float64[L]: space for the guess of a bin."""
    lowest: float
    scale: float
    """`lowest`, `scale`: logarithm of the rate of the first bin, and bins per unit of the
    logarithm."""


def create(levels: Levels, service: Service, delays: Delays, decision_s: float) -> Learned:
    """Nothing learned yet."""
    n, f = levels.counts.size, len(FEATURES)
    later = max(round((delays.startup_s + delays.heartbeat_s + _LATER_S) / decision_s), 1)
    lowest = log(LEAST_RATE * service.mu)
    highest = log(MOST_RATE * service.mu * float(levels.counts[-1]))
    return Learned(
        expected=np.zeros((f, HORIZONS, BINS, n)),
        observations=np.zeros((f, HORIZONS, BINS)),
        bins=np.zeros((f, later + 1), np.int64),
        decisions=np.zeros(1, np.int64),
        running=np.zeros(n),
        guess=np.zeros(n),
        lowest=lowest,
        scale=BINS / (highest - lowest),
    )


@kernel
def learn(learned: Learned) -> None:
    """Add the late events since the last decision to what followed earlier bins. O(F L)."""
    ring, now = learned.bins.shape[1], learned.decisions[0]
    for horizon in range(HORIZONS):
        ago = 1 if horizon == 0 else ring - 1
        if now < ago:
            continue
        for f in range(learned.bins.shape[0]):
            b = learned.bins[f, (now - ago) % ring]
            learned.observations[f, horizon, b] += 1.0
            weight = 1.0 / learned.observations[f, horizon, b]
            means = learned.expected[f, horizon, b]
            for level in range(means.shape[0]):
                means[level] += weight * (learned.running[level] - means[level])


@kernel
def look(learned: Learned, statistics: Statistics, levels: Levels, service: Service) -> None:
    """Find the bins of the present rate; guess what follows those that are new. O(F), or O(L M)."""
    ring, now = learned.bins.shape[1], learned.decisions[0]
    for f in range(learned.bins.shape[0]):
        rate = statistics.values[FEATURES[f]]
        b = _bin(learned, rate)
        learned.bins[f, now % ring] = b
        if learned.observations[f, 0, b] > 0.0 and learned.observations[f, 1, b] > 0.0:
            continue
        _guess(learned, levels, service, rate, rate_statistics.distance(statistics))
        for horizon in range(HORIZONS):
            if learned.observations[f, horizon, b] == 0.0:
                learned.observations[f, horizon, b] = GUESSED
                for level in range(learned.guess.shape[0]):
                    learned.expected[f, horizon, b, level] = learned.guess[level]
    learned.decisions[0] = now + 1


@kernel
def _bin(learned: Learned, rate: float) -> int:
    if not rate > 0.0:
        return 0
    return min(max(int((log(rate) - learned.lowest) * learned.scale), 0), BINS - 1)


@kernel
def _guess(
    learned: Learned, levels: Levels, service: Service, rate: float, distance: float
) -> None:
    """Mean of the late events/s at five rates around one, as far apart as rates usually are."""
    for level in range(levels.counts.shape[0]):
        total = 0.0
        for i in range(_POINTS):
            near = max(rate + (i - _POINTS // 2) * distance, 0.0)
            late, left = count_levels.step(service, levels, level, near * service.step_s, 0.0, 0.0)
            total += (late + left) / service.step_s
        learned.guess[level] = total / _POINTS


@kernel
def expected_late(learned: Learned, f: int, horizon: int, level: int) -> float:
    """Late events/s to expect after the last decision: until the next one, or later if more."""
    ring = learned.bins.shape[1]
    b = learned.bins[f, (learned.decisions[0] - 1) % ring]
    late = learned.expected[f, 0, b, level]
    if horizon == 1:
        late = max(late, learned.expected[f, 1, b, level])
    return float(late)
