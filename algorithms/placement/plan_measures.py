"""What a plan costs, and what it leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from algorithms.placement.move_plan import Replicas


class PlanMeasures(NamedTuple):
    """Costs of a plan, and the balance after it."""

    moves: int
    """Replicas on brokers that did not have them."""
    copied: float
    """Bytes of these replicas."""
    leader_changes: int
    """Partitions whose preferred leader is another one."""
    replica_spread: int
    """Replicas of the broker with most, minus those of the one with fewest."""
    leader_spread: int
    """The same, of preferred leaders."""


def measured(
    before: Replicas, after: Replicas, brokers: Iterable[int], sizes: Sequence[float] | None = None
) -> PlanMeasures:
    """Measure a plan.

    before, after: Brokers of each partition, the preferred leader first.
    brokers: Ids of the brokers that have replicas after the plan.
    sizes: Bytes of one replica of each partition. None: 1.

    >>> measured([[1, 2], [2, 1]], [[1, 3], [3, 1]], [1, 2, 3], [5.0, 7.0])
    PlanMeasures(moves=2, copied=12.0, leader_changes=1, replica_spread=2, leader_spread=1)
    """
    remaining = sorted(set(brokers))
    new = [len({*row} - {*old}) for old, row in zip(before, after, strict=True)]
    weights = [1.0] * len(new) if sizes is None else sizes
    return PlanMeasures(
        sum(new),
        float(sum(number * size for number, size in zip(new, weights, strict=True))),
        sum(old[0] != row[0] for old, row in zip(before, after, strict=True)),
        _spread((broker for row in after for broker in row), remaining),
        _spread((row[0] for row in after), remaining),
    )


def forced_moves(before: Sequence[int], after: Sequence[int]) -> int:
    """Moves that the numbers of replicas per broker force, whatever broker has which number.

    A broker keeps at most what it has, and at most what it shall have. In all, most is kept if the
    brokers that have most shall have most.

    before, after: Replicas of each broker that remains, in any order.

    >>> forced_moves([4, 4, 0], [2, 3, 3])
    2
    """
    return sum(after) - sum(map(min, sorted(before), sorted(after)))


def _spread(holders: Iterable[int], brokers: Sequence[int]) -> int:
    counts = Counter(holders)
    numbers = [counts[broker] for broker in brokers]
    return max(numbers) - min(numbers)
