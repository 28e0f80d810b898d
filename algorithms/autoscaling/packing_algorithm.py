"""Every algorithm of the assignment registry as a strategy: replicas are the consumers it uses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from algorithms.assignment import registry, stepping
from algorithms.autoscaling.dispatch import IDS, Seen, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Bools, Floats, Ints, Longs
from algorithms.core.compiled import allocating_unkept

_MILLION = 1e6
_DIGITS = 3
"""Of a capacity in millionths: 0.7 times 200 is 140, not slightly less."""


class Packed(NamedTuple):
    """State of a packing algorithm as a strategy."""

    partitions: int
    algorithm: Any
    """State of the algorithm."""
    placed: Ints
    """int32[P]: consumer of each partition after the decision."""
    used: Bools
    """bool[P]: which consumers have a partition."""
    millionths: Floats
    """float64[P]: the observed rates in whole millionths of an event/s."""


def start(group: Group, *, algorithm: str, f_up: float) -> Packed:
    """Start a packing algorithm at the capacity ``mu f_up``.

    Each decision is a step of the algorithm from the present assignment. Consumers keep their ids.

    group: The group; its seed is that of the shuffled orders.
    algorithm: A name of `algorithms.assignment.registry`.
    f_up: Share of a consumer's rate that is used.
    Raises InvalidParameterError if the algorithm does not take the number of partitions, as
        ``kd_4`` for 3.

    Landau, Saurabh, Andrade, Barbosa 2024. Algorithms use the ids ``0 .. P-1``; a partition whose
    owner has a higher id is taken as one without an owner. Observed rates have six decimals, and
    loads are added in whole millionths: equal loads are equal, whatever the order of their parts.
    """
    capacity = round(group.mu * f_up * _MILLION, _DIGITS)
    begun = registry.get(algorithm).start(group.partitions, capacity, group.seed)
    return Packed(
        partitions=group.partitions,
        algorithm=begun,
        placed=np.empty(group.partitions, np.int32),
        used=np.empty(group.partitions, np.bool_),
        millionths=np.empty(group.partitions),
    )


# Not cached by itself: the state of an algorithm may be of a package that others cannot import.
@decides(Packed)
@allocating_unkept
def _decide(state: Packed, seen: Seen, after: Longs) -> tuple[int, int]:
    before = state.algorithm.before
    partitions = before.shape[0]
    for p in range(partitions):
        owner = seen.owners[p]
        before[p] = owner if owner < partitions else -1
        state.used[p] = False
        state.millionths[p] = np.rint(seen.rates[p] * _MILLION)
    stepping.advance(state.algorithm, state.millionths, state.placed)
    replicas = 0
    for p in range(partitions):
        consumer = state.placed[p]
        after[p] = consumer
        if not state.used[consumer]:
            state.used[consumer] = True
            replicas += 1
    return replicas, IDS
