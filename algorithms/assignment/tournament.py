"""First and worst fit by a tournament of consumers, for large numbers of them.

A binary tree over the ids in ascending order: its leaves are the consumers. Each inner node holds
the id that wins among the leaves below it: the lowest load, ties to the lower id. The tree is one
array, ``winners``: node 1 is the root, ``2 n`` and ``2 n + 1`` are below node ``n``, and the leaves
are its second half. It has as many leaves as `loads` has places, a power of two.

Consumers that are not open have an infinite load and lose against all others. When all of them
close, the tree needs no update: the load of every winner is infinite.
"""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats, Ints
from algorithms.core.compiled import allocating, kernel

_NOWHERE = -1
_ROOT = 1


@kernel
def leaves(consumers: int) -> int:
    """Number of leaves for a number of consumers: the next power of two."""
    count = 1
    while count < consumers:
        count *= 2
    return count


@allocating
def create(consumers: int) -> Ints:
    """Winners of a tournament of a number of consumers, none of which is open."""
    count = leaves(consumers)
    winners = np.empty(2 * count, np.int32)
    for consumer in range(count):
        winners[count + consumer] = consumer
    for node in range(count - 1, 0, -1):
        winners[node] = winners[2 * node]
    return winners


@kernel
def first_fit(winners: Ints, loads: Floats, speed: float, capacity: float) -> int:
    """Lowest id with room, or -1. O(log P).

    There is room below a node if its winner has room, since the rounded ``load + speed`` grows with
    the load. So the search goes left wherever the winner there has room.
    """
    if not loads[winners[_ROOT]] + speed <= capacity:
        return _NOWHERE
    node, count = _ROOT, int(winners.shape[0]) // 2
    while node < count:
        node *= 2
        # The side cannot be predicted, so there is no branch on it.
        node += not (loads[winners[node]] + speed <= capacity)
    return node - count


@kernel
def least_loaded(winners: Ints) -> int:
    """Lowest id among those of the lowest load, with room or not. O(1)."""
    return int(winners[_ROOT])


@kernel
def update(winners: Ints, loads: Floats, consumer: int) -> None:
    """Replay the games of a consumer whose load has changed. O(log P)."""
    node = (winners.shape[0] // 2 + consumer) // 2
    while node >= _ROOT:
        left, right = winners[2 * node], winners[2 * node + 1]
        winner = left if loads[left] <= loads[right] else right
        if winner == winners[node] and winner != consumer:
            # The consumer lost here before and loses now: further up it does not appear.
            return
        winners[node] = winner
        node //= 2
