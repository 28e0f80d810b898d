"""All placements of a few partitions, tried one by one: what the least plan must agree with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

Lists = Sequence[Sequence[int]]


def best_replicas(before: Lists, brokers: Sequence[int], racks: Mapping[int, str]) -> list[int]:
    """Sum of the squares of the brokers' replicas, and moves, of the best placement."""
    options = [list(_spread(brokers, len(row), racks)) for row in before]
    costs = []
    for sets in product(*options):
        counts = [sum(broker in row for row in sets) for broker in brokers]
        moves = sum(len({*row} - {*old}) for old, row in zip(before, sets, strict=True))
        costs.append([sum(count**2 for count in counts), moves])
    return min(costs)


def best_leaders(before: Lists, after: Lists, brokers: Sequence[int]) -> list[int]:
    """The same of preferred leaders among the replicas of a plan."""
    costs = []
    for leaders in product(*after):
        counts = [leaders.count(broker) for broker in brokers]
        changes = sum(old[0] != new for old, new in zip(before, leaders, strict=True))
        costs.append([sum(count**2 for count in counts), changes])
    return min(costs)


def _spread(
    brokers: Sequence[int], number: int, racks: Mapping[int, str]
) -> Iterator[tuple[int, ...]]:
    """Sets of brokers whose fullest rack has as few of them as possible."""
    sets = list(combinations(brokers, number))
    if not racks:
        return iter(sets)

    def fullest(each: tuple[int, ...]) -> int:
        names = [racks[broker] for broker in each]
        return max(map(names.count, names))

    least = min(map(fullest, sets))
    return (each for each in sets if fullest(each) == least)
