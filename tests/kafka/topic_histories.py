"""Random histories of groups that read several topics: members, and what they read, change."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.kafka.group_histories import UNOWNED

MOST_MEMBERS = 9
GENERATIONS = 4

Reading = tuple[tuple[int, tuple[int, ...]], ...]
"""Members, ascending, with the positions of the topics that each one reads."""

Partitions = dict[str, list[tuple[str, int]]]


class TopicHistory(NamedTuple):
    """Rebalances of one group by one assignor.

    Attributes
    ----------
    assignor
        Name of the assignor.
    sizes
        Partitions of each topic.
    owners
        Owner of each partition, by topic and number, before the first rebalance; -1 for none.
    generations
        Members of each rebalance. It starts from the owners after the one before.
    """

    assignor: str
    sizes: tuple[int, ...]
    owners: tuple[int, ...]
    generations: tuple[Reading, ...]

    @property
    def reading(self) -> list[dict[int, tuple[int, ...]]]:
        """Topics that each member reads, by generation."""
        return [dict(generation) for generation in self.generations]


def draw(assignor: str, n: int, seed: int) -> list[TopicHistory]:
    """Draw n histories, the same for the same arguments; every other one with equal members."""
    rng = random.Random(f"topics {assignor} {seed}")
    return [_history(assignor, i % 2 == 0, rng) for i in range(n)]


def _history(assignor: str, equal: bool, rng: random.Random) -> TopicHistory:
    sizes = tuple(rng.choice((1, 2, 3, 4, 7, 12)) for _ in range(rng.choice((1, 2, 2, 3, 3, 4))))
    members = {
        one: _read(len(sizes), equal, rng) for one in rng.sample(range(12), rng.randint(1, 5))
    }
    if rng.random() < 0.4:
        owners = [UNOWNED] * sum(sizes)
    else:
        crowded = rng.choices((*members, UNOWNED), k=2)
        owners = [rng.choice((*members, *crowded, *crowded)) for _ in range(sum(sizes))]
    generations = [_ascending(members)]
    for _ in range(GENERATIONS - 1):
        members = _changed(members, len(sizes), equal, rng)
        generations.append(_ascending(members))
    return TopicHistory(assignor, sizes, tuple(owners), tuple(generations))


def _read(topics: int, equal: bool, rng: random.Random) -> tuple[int, ...]:
    if equal:
        return tuple(range(topics))
    return tuple(sorted(rng.sample(range(topics), rng.randint(1, topics))))


def _changed(
    members: dict[int, tuple[int, ...]], topics: int, equal: bool, rng: random.Random
) -> dict[int, tuple[int, ...]]:
    leaving = set(rng.sample(sorted(members), rng.choice((0, 0, 1, 1, 2)) % len(members)))
    left = {one: read for one, read in members.items() if one not in leaving}
    for one in left:
        if rng.random() < 0.15:
            left[one] = _read(topics, equal, rng)
    absent = sorted(set(range(12)) - set(members))
    joining = min(rng.choice((0, 0, 1, 1, 2, 3)), MOST_MEMBERS - len(left), len(absent))
    return left | {one: _read(topics, equal, rng) for one in rng.sample(absent, joining)}


def _ascending(members: dict[int, tuple[int, ...]]) -> Reading:
    return tuple(sorted(members.items()))


class Rebalance(NamedTuple):
    """Arguments of `assign_group`, and what it should return."""

    topics: dict[str, int]
    members: list[str]
    owned: Partitions
    subscriptions: dict[str, list[str]]
    expected: Partitions


def rebalances(
    history: TopicHistory, rounds: Sequence[Sequence[Sequence[int]]]
) -> Iterator[Rebalance]:
    """Each round of a history."""
    columns = [("abcdef"[t], p) for t, size in enumerate(history.sizes) for p in range(size)]
    before: Sequence[int] = history.owners
    for reading, of_generation in zip(history.reading, rounds, strict=True):
        for after in of_generation:
            yield Rebalance(
                {"abcdef"[t]: size for t, size in enumerate(history.sizes)},
                [_id(one) for one in reading],
                _partitions(reading, before, columns),
                {_id(one): ["abcdef"[t] for t in read] for one, read in reading.items()},
                _partitions(reading, after, columns),
            )
            before = after


def _partitions(
    members: dict[int, tuple[int, ...]], owners: Sequence[int], columns: list[tuple[str, int]]
) -> Partitions:
    return {
        _id(one): [c for c, owner in zip(columns, owners, strict=True) if owner == one]
        for one in members
    }


def _id(member: int) -> str:
    return f"{member:02d}"
