"""Groups that the tests of the assignors share."""

from __future__ import annotations

import random
from typing import NamedTuple

from hypothesis import strategies as st

from algorithms.assignment import assignors

NAMES = assignors.names()
UNOWNED = -1

BALANCED = tuple(name for name in NAMES if name != "cooperative_sticky")
"""Assignors that give every partition an owner in one round."""

KEEPING = ("sticky", "cooperative_sticky", "kip848_uniform")
"""Assignors that keep as many partitions as a balanced assignment can."""


class Group(NamedTuple):
    """One rebalance: number of partitions, members, present owners and lags."""

    partitions: int
    members: list[int]
    owners: list[int]
    lags: list[float]


@st.composite
def groups(draw: st.DrawFn) -> Group:
    """Strategy for small groups in any state."""
    partitions = draw(st.integers(1, 12))
    ids = st.integers(0, draw(st.sampled_from((6, 30, 10**12))))
    members = draw(st.lists(ids, min_size=1, max_size=8, unique=True))
    owner = st.one_of(st.sampled_from(members), st.just(UNOWNED), ids)
    lag = st.one_of(st.integers(0, 3), st.integers(0, 10**6)).map(float)
    per_partition = {"min_size": partitions, "max_size": partitions}
    return Group(
        partitions,
        members,
        draw(st.lists(owner, **per_partition)),
        draw(st.lists(lag, **per_partition)),
    )


def drawn(seed: int, partitions: int, n: int) -> Group:
    """Draw a group of n members with gaps between ids; two members own too much."""
    rng = random.Random(f"{seed} {partitions} {n}")
    members = rng.sample(range(3 * n), n)
    crowded = rng.choices(members, k=2)
    owners = [
        rng.choice((*members, *crowded * (n // 2), UNOWNED, 3 * n)) for _ in range(partitions)
    ]
    return Group(partitions, members, owners, [float(rng.randrange(50)) for _ in owners])


def counts(group: Group, after: list[int]) -> list[int]:
    """Partitions of each member."""
    return [after.count(member) for member in group.members]


def kept(before: list[int], after: list[int]) -> int:
    """Partitions whose owner stays."""
    return sum(old == new != UNOWNED for old, new in zip(before, after, strict=True))


def most_kept(group: Group) -> int:
    """The most partitions that an assignment with equal shares can leave where they are.

    Each member keeps at most its share, and ``P mod n`` members have a share of one more.
    """
    share, longer = divmod(group.partitions, len(group.members))
    owned = counts(group, group.owners)
    return sum(min(n, share) for n in owned) + min(longer, sum(n > share for n in owned))
