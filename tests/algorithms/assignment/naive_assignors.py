"""Plain assignors on lists and dictionaries: slow, obvious, and independent of the kernels.

Each takes the number of partitions, member ids, present owners (-1 = none) and lags, and returns
the owner of each partition, -1 where cooperative_sticky withholds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Assignor = Callable[[int, Sequence[int], Sequence[int], Sequence[float]], list[int]]


def owned_by(member: int, owners: Sequence[int]) -> list[int]:
    """Partitions that a member owns, ascending."""
    return [p for p, owner in enumerate(owners) if owner == member]


def by_block(
    partitions: int, members: Sequence[int], owners: Sequence[int], lags: Sequence[float]
) -> list[int]:
    """Blocks in member order; the first ``P mod n`` have one partition more."""
    size, longer = divmod(partitions, len(members))
    after: list[int] = []
    for i, member in enumerate(sorted(members)):
        after += [member] * (size + 1 if i < longer else size)
    return after


def by_turn(
    partitions: int, members: Sequence[int], owners: Sequence[int], lags: Sequence[float]
) -> list[int]:
    """Partition i to member ``i mod n``."""
    ordered = sorted(members)
    return [ordered[i % len(ordered)] for i in range(partitions)]


def sticky(
    partitions: int, members: Sequence[int], owners: Sequence[int], lags: Sequence[float]
) -> list[int]:
    """Keep shares, fill the under-filled in turn, then give the candidates one each."""
    q, r = divmod(partitions, len(members))
    most = q + 1 if r else q
    kept: dict[int, list[int]] = {}
    under, candidates, over = [], [], 0
    for member in sorted(members):
        owned = owned_by(member, owners)
        if len(owned) < q:
            kept[member] = owned
            under.append(member)
        elif len(owned) >= most and over < r:
            kept[member] = owned[:most]
            over += 1
        else:
            kept[member] = owned[:q]
            candidates.append(member)
    taken = {p for owned in kept.values() for p in owned}
    cycle = list(under)
    for p in range(partitions):
        if p in taken:
            continue
        if under:
            # The cycle begins again when all that are still under-filled had their turn.
            cycle = cycle or list(under)
            member = cycle.pop(0)
            if len(kept[member]) + 1 == q:
                under.remove(member)
                candidates.append(member)
        else:
            member = candidates.pop(0)
        kept[member].append(p)
    return owners_of(partitions, kept)


def cooperative(
    partitions: int, members: Sequence[int], owners: Sequence[int], lags: Sequence[float]
) -> list[int]:
    """Sticky, without what would go from one present member straight to another."""
    target = sticky(partitions, members, owners, lags)
    return [
        -1 if before in members and before != after else after
        for before, after in zip(owners, target, strict=True)
    ]


def uniform(
    partitions: int,
    members: Sequence[int],
    owners: Sequence[int],
    lags: Sequence[float],
    gives_back: bool = True,
) -> list[int]:
    """Quotas in member order, with an extra place for some; a pool fills the open places."""
    quota_of_all, extra = divmod(partitions, len(members))
    kept: dict[int, list[int]] = {}
    revoked: list[int] = []
    places: dict[int, int] = {}
    for i, member in enumerate(sorted(members)):
        owned = owned_by(member, owners)
        plus_one = extra > 0
        quota = quota_of_all + 1 if plus_one else quota_of_all
        kept[member] = owned[:quota]
        revoked += owned[quota:]
        left = quota - len(kept[member])
        if gives_back and left > 0 and plus_one and len(members) - i > extra:
            left -= 1
            plus_one = False
        if plus_one:
            extra -= 1
        places[member] = left
    pool = [p for p in range(partitions) if owners[p] not in members] + revoked
    for member in sorted(members):
        for _ in range(places[member]):
            kept[member].append(pool.pop(0))
    assert pool == []
    return owners_of(partitions, kept)


def uniform_4_0(
    partitions: int, members: Sequence[int], owners: Sequence[int], lags: Sequence[float]
) -> list[int]:
    """As before Kafka gave the extra place back."""
    return uniform(partitions, members, owners, lags, gives_back=False)


def by_lag(
    partitions: int, members: Sequence[int], owners: Sequence[int], lags: Sequence[float]
) -> list[int]:
    """Largest lag first, to the member with the fewest partitions, least lag, first id as text."""
    count = dict.fromkeys(members, 0)
    total = dict.fromkeys(members, 0.0)
    after = [-1] * partitions
    for p in sorted(range(partitions), key=lambda p: (-lags[p], p)):
        member = min(members, key=lambda m: (count[m], total[m], str(m)))
        after[p] = member
        count[member] += 1
        total[member] += lags[p]
    return after


def owners_of(partitions: int, kept: dict[int, list[int]]) -> list[int]:
    """Owner of each partition; no partition has two."""
    owner = {p: member for member, owned in kept.items() for p in owned}
    assert sum(len(owned) for owned in kept.values()) == len(owner)
    return [owner[p] for p in range(partitions)]


def settled(
    assignor: Assignor,
    partitions: int,
    members: Sequence[int],
    owners: Sequence[int],
    lags: Sequence[float],
) -> list[int]:
    """Rebalance again on what the members then own, until nothing is withheld."""
    after = list(owners)
    while True:
        after = assignor(partitions, members, after, lags)
        if -1 not in after:
            return after


ASSIGNORS: dict[str, Assignor] = {
    "range": by_block,
    "kip848_range": by_block,
    "roundrobin": by_turn,
    "sticky": sticky,
    "cooperative_sticky": cooperative,
    "kip848_uniform": uniform,
    "kip848_uniform_4_0": uniform_4_0,
    "kip169": by_lag,
}
