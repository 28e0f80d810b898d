"""Which number of replicas to follow, when many experts have been tried on the past."""

from __future__ import annotations

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel
from algorithms.core.portable_math import exp

_NEGLIGIBLE = 40.0


@kernel
def weigh(losses: Floats, aims: Longs, temperature: float, weights: Floats) -> None:
    """Weight of the experts that aim at each level: ``exp(-loss / temperature)`` each. O(E + L)."""
    for level in range(weights.shape[0]):
        weights[level] = 0.0
    least = losses[0]
    for loss in losses:
        least = min(least, loss)
    for e in range(losses.shape[0]):
        behind = (losses[e] - least) / temperature
        if behind < _NEGLIGIBLE:
            weights[aims[e]] += exp(-behind)


@kernel
def quantile(weights: Floats, share: float) -> int:
    """Lowest level up to which the experts have at least a share of the weight. O(L)."""
    total = 0.0
    for weight in weights:
        total += weight
    so_far, level = weights[0], 0
    while so_far < share * total and level < weights.shape[0] - 1:
        level += 1
        so_far += weights[level]
    return level


@kernel
def followed(weights: Floats, now: int, patience: float) -> int:
    """Level to go to from the present one: the nearest that is not far from the median.

    weights: float64[L], weight of each level.
    now: The present level.
    patience: Share of the weight on each side of the median within which the group stays; 0: it
        goes to the median.
    """
    return min(max(now, quantile(weights, 0.5 - patience)), quantile(weights, 0.5 + patience))
