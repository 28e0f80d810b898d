"""Negative cycles of a small dense graph."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Longs

NO_ARC = np.int64(2**60)
"""Cost of an arc that does not exist; sums of all other costs must stay far below."""


def negative_cycle(costs: Longs) -> list[int] | None:
    """Find a cycle whose costs sum to less than 0; None if there is none.

    costs: int64[N, N], from the row's node to the column's; `NO_ARC` without an arc.
    Returns: nodes in the order of the cycle, each once.

    Bellman and Ford's algorithm from all nodes at once. O(N³). Of equally cheap arcs into a node,
    the one from the first node counts.

    >>> costs = np.full((3, 3), NO_ARC)
    >>> costs[0, 1], costs[1, 2], costs[2, 0] = 1, 1, -3
    >>> sorted(negative_cycle(costs))
    [0, 1, 2]
    >>> costs[2, 0] = -2
    >>> negative_cycle(costs) is None
    True
    """
    nodes = np.arange(len(costs))
    distances = np.zeros(len(costs), np.int64)
    parents = np.full(len(costs), -1)
    node = -1
    for _ in range(len(costs) + 1):
        through = distances[:, None] + costs
        best = through.argmin(axis=0)
        shorter = through[best, nodes] < distances
        if not shorter.any():
            return None
        parents[shorter] = best[shorter]
        distances = np.where(shorter, through[best, nodes], distances)
        node = int(np.flatnonzero(shorter)[0])
    for _ in nodes:
        node = int(parents[node])
    cycle = [node]
    while (previous := int(parents[cycle[-1]])) != node:
        cycle.append(previous)
    return cycle[::-1]
