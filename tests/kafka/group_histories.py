"""Random histories of groups of one topic: members join and leave, and the group rebalances."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

UNOWNED = -1
PARTITIONS = (1, 2, 3, 5, 7, 9, 12, 16, 20)
MOST_MEMBERS = 12
GENERATIONS = 6


class History(NamedTuple):
    """Rebalances of one group by one assignor.

    Attributes
    ----------
    assignor
        Name of the assignor.
    owners
        Owner of each partition before the first rebalance, -1 for none. Owners can be ids that
        are not present.
    generations
        Members of each rebalance, ascending. It starts from the owners after the one before.
    """

    assignor: str
    owners: tuple[int, ...]
    generations: tuple[tuple[int, ...], ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Partitions of the only topic."""
        return (len(self.owners),)

    @property
    def reading(self) -> list[dict[int, tuple[int, ...]]]:
        """Topics that each member reads, by generation: the only one."""
        return [dict.fromkeys(ids, (0,)) for ids in self.generations]


def draw(assignor: str, n: int, seed: int) -> list[History]:
    """Draw n histories, the same for the same arguments."""
    rng = random.Random(f"{assignor} {seed}")
    return [_history(assignor, rng) for _ in range(n)]


def _history(assignor: str, rng: random.Random) -> History:
    ids = range(rng.choice((MOST_MEMBERS, 100)))
    members = set(rng.sample(ids, rng.randint(1, 6)))
    partitions = rng.choice(PARTITIONS)
    if rng.random() < 0.5:
        owners = [UNOWNED] * partitions
    else:  # any state, such as one that another assignor has left behind
        crowded = rng.choices((*members, rng.choice(ids), UNOWNED), k=2)
        owners = [rng.choice((*members, *crowded, *crowded)) for _ in range(partitions)]
    generations = [tuple(sorted(members))]
    for _ in range(GENERATIONS - 1):
        members = _changed(members, ids, rng)
        generations.append(tuple(sorted(members)))
    return History(assignor, tuple(owners), tuple(generations))


def _changed(members: set[int], ids: Sequence[int], rng: random.Random) -> set[int]:
    """Let some members leave, some join, or both; at least one is left."""
    leaving = set(rng.sample(sorted(members), rng.choice((0, 0, 1, 1, 2, 3)) % len(members)))
    absent = sorted(set(ids) - members)
    room = MOST_MEMBERS - len(members) + len(leaving)
    joining = set(rng.sample(absent, min(rng.choice((0, 0, 1, 1, 2, 4)), room, len(absent))))
    return (members - leaving) | joining


def rebalances(
    history: History, rounds: Sequence[Sequence[Sequence[int]]]
) -> Iterator[tuple[tuple[int, ...], Sequence[int], Sequence[int]]]:
    """Each round of a history: members, owners before it and owners after it."""
    before: Sequence[int] = history.owners
    for members, of_generation in zip(history.generations, rounds, strict=True):
        for after in of_generation:
            yield members, before, after
            before = after
