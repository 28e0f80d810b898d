"""Plain assignors over several topics: slow, written from the rules, independent of the package.

Each takes {topic: partitions}, members ascending, {member: owned partitions} and {member: topics},
and returns {member: set of (topic, partition)}.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

Partition = tuple[str, int]
Own = dict[str, set[Partition]]
Topics = Mapping[str, int]
Read = Mapping[str, Sequence[str]]


def readers_of(topic: str, read: Read) -> list[str]:
    """Members that read a topic, ascending."""
    return sorted(member for member in read if topic in read[member])


def all_read(topics: Topics, read: Read) -> list[Partition]:
    """Partitions of topics with readers, by topic, then number."""
    return [(t, p) for t in sorted(topics) if readers_of(t, read) for p in range(topics[t])]


def blocks(topics: Topics, owned: Own, read: Read) -> Own:
    """Each topic on its own, in contiguous blocks."""
    own: Own = {member: set() for member in read}
    for topic in topics:
        left, readers = list(range(topics[topic])), readers_of(topic, read)
        for i, member in enumerate(readers):
            size = len(left) // (len(readers) - i)
            size += len(left) % (len(readers) - i) > 0
            own[member] |= {(topic, p) for p in left[:size]}
            left = left[size:]
    return own


def circle(topics: Topics, owned: Own, read: Read) -> Own:
    """A queue of members; the first that reads the topic takes the partition and goes last."""
    own: Own = {member: set() for member in read}
    queue = sorted(read)
    for topic, p in all_read(topics, read):
        while topic not in read[queue[0]]:
            queue.append(queue.pop(0))
        own[queue[0]].add((topic, p))
        queue.append(queue.pop(0))
    return own


def sticky(topics: Topics, owned: Own, read: Read) -> Own:
    """Two algorithms: for equal subscriptions, and for different ones."""
    if len({frozenset(of_one) for of_one in read.values()}) == 1:
        return sticky_equal(topics, owned, read)
    return sticky_different(topics, owned, read)


def sticky_equal(topics: Topics, owned: Own, read: Read) -> Own:
    """Prefixes by number and topic are kept; the rest is given by topic and number."""
    every = all_read(topics, read)
    q, r = divmod(len(every), len(read))
    own: Own = {}
    circle_of: list[str] = []
    candidates: list[str] = []
    over = 0
    for member in sorted(read):
        mine = sorted(owned[member] & set(every), key=lambda one: (one[1], one[0]))
        keep = len(mine)
        if keep < q:
            circle_of.append(member)
        elif keep > q and over < r:
            keep, over = q + 1, over + 1
        else:
            keep = q
            candidates.append(member)
        own[member] = set(mine[:keep])
    for one in every:
        if any(one in mine for mine in own.values()):
            continue
        if circle_of:
            member = circle_of.pop(0)
            (candidates if len(own[member]) + 1 == q else circle_of).append(member)
        else:
            member = candidates.pop(0)
        own[member].add(one)
    return own


def sticky_different(topics: Topics, owned: Own, read: Read) -> Own:
    """Keep everything, give the rest to the emptiest, then move while it helps."""
    every = all_read(topics, read)
    own = {m: {one for one in owned[m] if one in every and one[0] in read[m]} for m in read}
    order = sorted(every, key=lambda one: (len(readers_of(one[0], read)), one))
    anybody_owned = any(own.values())
    placed = [one for one in order if not any(one in mine for mine in own.values())]
    for one in placed:
        own[emptiest(one[0], own, read)].add(one)
    before = {m: set(mine) for m, mine in own.items()}
    first: dict[Partition, str] = {}
    lost = any(t not in read[m] and readers_of(t, read) for m in read for t, _ in owned[m])
    if not lost:
        passes(placed, own, read, first)
    moved = passes(order, own, read, first)
    if anybody_owned and moved:
        able = [m for m in sorted(read) if can_change(m, before, every, read)]
        sums = [
            sum(abs(len(state[a]) - len(state[b])) for a, b in combinations(able, 2))
            for state in (before, own)
        ]
        if not sums[1] < sums[0]:
            return before
    return own


def can_change(member: str, own: Own, every: list[Partition], read: Read) -> bool:
    """Unless a member owns all it can, of topics that only it reads."""
    possible = {one for one in every if one[0] in read[member]}
    alone = all(len(readers_of(t, read)) == 1 for t, _ in own[member])
    return not (own[member] == possible and alone)


def emptiest(topic: str, own: Own, read: Read) -> str:
    """Reader with the fewest partitions, then the first id."""
    return min(readers_of(topic, read), key=lambda m: (len(own[m]), m))


def owner_of(one: Partition, own: Own) -> str:
    """The only owner."""
    (owner,) = [member for member in own if one in own[member]]
    return owner


def movable(one: Partition, own: Own, read: Read) -> bool:
    """Whether the owner has at least two more than some other reader."""
    size = len(own[owner_of(one, own)])
    return any(size - len(own[m]) >= 2 for m in readers_of(one[0], read))


def passes(listed: list[Partition], own: Own, read: Read, first: dict[Partition, str]) -> bool:
    """Passes until one moves nothing. `first` has the first owners of what has moved."""
    any_moved = False
    while True:
        moved = False
        for one in listed:
            every = [other for mine in own.values() for other in mine]
            if not any(movable(other, own, read) for other in every):
                break
            if len(readers_of(one[0], read)) > 1 and movable(one, own, read):
                to = emptiest(one[0], own, read)
                move(instead(one, to, own, first), to, own, first)
                moved = any_moved = True
        if not moved:
            return any_moved


def instead(one: Partition, to: str, own: Own, first: dict[Partition, str]) -> Partition:
    """What was moved in the other direction before goes back, if there is any."""
    origin = first.get(one, owner_of(one, own))
    back = [
        other
        for other in own[origin]
        if other[0] == one[0] and first.get(other) == to and other != one
    ]
    return min(back, default=one)


def move(one: Partition, to: str, own: Own, first: dict[Partition, str]) -> None:
    """Change the owner and what is remembered."""
    owner = owner_of(one, own)
    own[owner].remove(one)
    own[to].add(one)
    if first.setdefault(one, owner) == to:
        del first[one]


def cooperative(topics: Topics, owned: Own, read: Read) -> Own:
    """Sticky without what another present member still owns."""
    target = sticky(topics, owned, read)
    return {
        m: {one for one in target[m] if not any(one in owned[n] for n in read if n != m)}
        for m in read
    }


def uniform(topics: Topics, owned: Own, read: Read, gives_back: bool = True) -> Own:
    """Two algorithms: for equal subscriptions, and for different ones."""
    if len({frozenset(of_one) for of_one in read.values()}) == 1:
        return uniform_equal(topics, owned, read, gives_back)
    return uniform_different(topics, owned, read)


def uniform_equal(topics: Topics, owned: Own, read: Read, gives_back: bool) -> Own:
    """Quotas in member order; everything by topic and number."""
    every = all_read(topics, read)
    q, extra = divmod(len(every), len(read))
    pool = [one for one in every if not any(one in owned[m] for m in read)]
    own: Own = {}
    quota: dict[str, int] = {}
    for i, member in enumerate(sorted(read)):
        mine = sorted(owned[member] & set(every))
        plus = extra > 0
        if plus and gives_back and len(mine) < q + 1 and len(read) - i > extra:
            plus = False
        quota[member] = q + plus
        extra -= plus
        own[member] = set(mine[: quota[member]])
        pool += mine[quota[member] :]
    for member in sorted(read):
        while len(own[member]) < quota[member]:
            own[member].add(pool.pop(0))
    return own


def uniform_different(topics: Topics, owned: Own, read: Read) -> Own:
    """Keep everything, place topic by topic, then even topics out."""
    every = all_read(topics, read)
    own = {m: {one for one in owned[m] if one in every and one[0] in read[m]} for m in read}
    count = {t: len(readers_of(t, read)) for t in topics}
    order = sorted(
        (t for t in topics if count[t]), key=lambda t: (-topics[t] / count[t], count[t], t)
    )
    for topic in order:
        rank = sorted(readers_of(topic, read), key=lambda m: (len(own[m]), m))
        for p in range(topics[topic]):
            if not any((topic, p) in mine for mine in own.values()):
                own[min(rank, key=lambda m: (len(own[m]), rank.index(m)))].add((topic, p))
    shared = [t for t in order if count[t] > 1]
    last = None
    for topic in shared * 16:
        if topic == last:
            break
        if last is None:
            last = topic
        if even_out(topic, own, read):
            last = topic
    return own


def even_out(topic: str, own: Own, read: Read) -> bool:
    """The fullest giver gives its highest partition to the emptiest, again and again."""
    rank = sorted(readers_of(topic, read), key=lambda m: (len(own[m]), m))
    givers = list(rank)
    at_start = {m: {one for one in own[m] if one[0] == topic} for m in rank}
    moved = False
    while givers:
        most = max(len(own[m]) for m in givers)
        giver = [m for m in givers if len(own[m]) == most][-1]
        taker = min(rank, key=lambda m: (len(own[m]), rank.index(m)))
        if most - len(own[taker]) < 2:
            break
        if at_start[giver]:
            one = max(at_start[giver])
            at_start[giver].remove(one)
            own[giver].remove(one)
            own[taker].add(one)
            moved = True
        else:
            i = givers.index(giver)
            givers[i], givers[-1] = givers[-1], givers[i]
            del givers[-1]
    return moved


def by_count(topics: Topics, owned: Own, read: Read) -> Own:
    """KIP-169 without lag: each partition to the reader with the fewest of its topic."""
    own: Own = {member: set() for member in read}
    for topic, p in all_read(topics, read):
        of_topic = {m: sum(t == topic for t, _ in own[m]) for m in readers_of(topic, read)}
        own[min(of_topic, key=lambda m: (of_topic[m], m))].add((topic, p))
    return own


ASSIGNORS: dict[str, Callable[[Topics, Own, Read], Own]] = {
    "range": blocks,
    "kip848_range": blocks,
    "roundrobin": circle,
    "sticky": sticky,
    "cooperative_sticky": cooperative,
    "kip848_uniform": uniform,
    "kip848_uniform_4_0": lambda *group: uniform(*group, gives_back=False),
    "kip169": by_count,
}
