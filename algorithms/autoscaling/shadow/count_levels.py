"""The numbers of replicas that are considered, and how a packing spreads the load over them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import largest_first
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.shadow import late_events
from algorithms.autoscaling.shadow.late_events import Service
from algorithms.core import sorting
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

MOST_LEVELS = 32
"""Most numbers of replicas that are considered; beyond it, they are spaced geometrically."""


class Levels(NamedTuple):
    """L numbers of replicas, up to M."""

    counts: Longs
    """int64[L]: replicas, ascending."""
    shares: Floats
    """float64[L, M]: share of the total rate of each member, in a largest-first packing."""
    largest: Floats
    """float64[L]: largest of these shares."""
    enough: Floats
    """float64[L]: total rate that each count can serve if no member may have more than the
    capacity, events/s; never less for more replicas."""
    capacity: float
    """Rate that one member may have, events/s."""
    order: Longs
    spare: Longs
    """`order`, `spare`: int64[P]: partitions by rate, and scratch space for sorting."""
    heap: Longs
    """int64[M]: space for a packing."""
    space: Floats
    """float64[2, M]: space for the events of members."""


def create(group: Group) -> Levels:
    """Levels of a group whose partitions have equal rates."""
    counts = counts_of(group)
    most = int(counts[-1])
    in_time = group.mu * group.wsla_s - 0.5
    levels = Levels(
        counts=counts,
        shares=np.zeros((counts.size, most)),
        largest=np.zeros(counts.size),
        enough=np.empty(counts.size),
        capacity=max(in_time, 0.0) / group.step_s if group.burst else group.mu,
        order=np.empty(group.partitions, np.int64),
        spare=np.empty(group.partitions, np.int64),
        heap=np.empty(most, np.int64),
        space=np.empty((2, most)),
    )
    weights = np.ones(group.partitions)
    spread(levels, weights, float(group.partitions))
    return levels


def counts_of(group: Group) -> Longs:
    """Numbers of replicas from the least that serves events to the most that has a use.

    >>> from algorithms.simulation.group_settings import check_settings, group_of
    >>> settings = check_settings({"max_replicas": 9, "min_replicas": 0}, 3, 1.0, "last")
    >>> group = group_of(settings, np.ones(3))
    >>> counts_of(group).tolist(), counts_of(group._replace(partitions=64, max_replicas=64)).size
    ([1, 2, 3], 32)
    """
    least = max(group.min_replicas, 1)
    most = max(least, min(group.max_replicas, group.partitions))
    if most - least < MOST_LEVELS:
        return np.arange(least, most + 1)
    counts = [least]
    for left in range(MOST_LEVELS - 1, 0, -1):
        counts.append(max(counts[-1] + 1, round(counts[-1] * (most / counts[-1]) ** (1.0 / left))))
    return np.array(counts)


@kernel
def spread(levels: Levels, weights: Floats, total: float) -> None:
    """Pack P partitions into each number of members. O(P L log M)."""
    sorting.descending(weights, levels.order, levels.spare)
    best = 0.0
    for level in range(levels.counts.shape[0]):
        n, loads = levels.counts[level], levels.shares[level]
        largest = largest_first.fill_loads(weights, levels.order, n, loads, levels.heap)
        for member in range(n):
            loads[member] /= total
        levels.largest[level] = largest / total
        best = max(best, levels.capacity * (total / largest))
        levels.enough[level] = best


@kernel
def step(
    service: Service, levels: Levels, level: int, events: float, lag: float, pause_s: float
) -> tuple[float, float]:
    """As `late_events.step`, with a level's replicas. O(1) if no member falls behind."""
    if late_events.is_served(service, levels.largest[level], events, lag, pause_s):
        return 0.0, 0.0
    shares = levels.shares[level, : levels.counts[level]]
    return late_events.step(service, shares, levels.space, events, lag, pause_s)


@kernel
def least_for(levels: Levels, rate: float) -> int:
    """First level that can serve a total rate, else the last. O(log L)."""
    low, high = 0, levels.counts.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        if levels.enough[middle] >= rate:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def level_of(levels: Levels, replicas: int) -> int:
    """First level with at least a number of replicas, else the last. O(L)."""
    level = 0
    while level < levels.counts.shape[0] - 1 and levels.counts[level] < replicas:
        level += 1
    return level
