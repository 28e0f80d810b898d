"""Uniform assignor of the group coordinator (KIP-848) for members that read different topics."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from algorithms.assignment.assignors.group_input import GroupInput, Partition

_ROUNDS = 16


def place_uniform(group: GroupInput) -> list[set[Partition]]:
    """Partitions of each member: what it owned, then what makes the group more even.

    `UniformHeterogeneousAssignmentBuilder`, with members and topics ascending where Kafka goes
    through hash maps. Kafka 4.0 and 4.1 agree. O(P M) per round of at most 16.
    """
    own = group.kept()
    order = sorted(group.topics, key=lambda t: _precedence(t, group))
    taken = set().union(*own)
    for topic in order:
        rank = _ranked(group.readers[topic], own)
        for p in range(group.topics[topic]):
            if (topic, p) not in taken:
                own[min(rank, key=lambda m: len(own[m]))].add((topic, p))
    _even_out([topic for topic in order if len(group.readers[topic]) > 1], group, own)
    return own


def _precedence(topic: str, group: GroupInput) -> tuple[Fraction, int, str]:
    """Most partitions per reader first, then fewest readers, then the name."""
    readers = len(group.readers[topic])
    return -Fraction(group.topics[topic], readers), readers, topic


def _ranked(readers: Sequence[int], own: Sequence[set[Partition]]) -> list[int]:
    return sorted(readers, key=lambda m: (len(own[m]), m))


def _even_out(order: Sequence[str], group: GroupInput, own: list[set[Partition]]) -> None:
    """Go through the topics until one that changed last comes up again unchanged."""
    changed_last = 0
    for round_ in range(_ROUNDS):
        for t, topic in enumerate(order):
            if round_ and t == changed_last:
                return
            if _even_topic(topic, group.readers[topic], own):
                changed_last = t


def _even_topic(topic: str, readers: Sequence[int], own: list[set[Partition]]) -> bool:
    """Move partitions of a topic from the fullest readers to the emptiest; whether any moved."""
    rank = _ranked(readers, own)
    givers = list(rank)
    to_give = {m: sorted(p for t, p in own[m] if t == topic) for m in readers}
    moved = False
    while givers:
        place = max(range(len(givers)), key=lambda i: (len(own[givers[i]]), i))
        giver, taker = givers[place], min(rank, key=lambda m: len(own[m]))
        if len(own[giver]) < len(own[taker]) + 2:
            break
        if not to_give[giver]:
            givers[place] = givers[-1]
            givers.pop()
            continue
        one = topic, to_give[giver].pop()
        own[giver].remove(one)
        own[taker].add(one)
        moved = True
    return moved
