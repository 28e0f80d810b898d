"""Kafka's sticky assignor for members that read different topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from algorithms.assignment.assignors.group_input import GroupInput, Partition


def place_sticky(group: GroupInput) -> list[set[Partition]]:
    """Partitions of each member: what it owned, then what makes the group more even.

    The general case of `AbstractStickyAssignor`. Where Kafka takes the first entry of a hash set of
    partitions, the lowest one is taken. O(P (T M + P)) per pass over P partitions of T topics.
    """
    kept = group.kept()
    order = [
        (topic, p)
        for topic in sorted(group.topics, key=lambda t: (len(group.readers[t]), t))
        for p in range(group.topics[topic])
    ]
    had_owner = set().union(*kept)
    unowned = [one for one in order if one not in had_owner]
    state = _Balancing(group, kept)
    for one in unowned:
        state.give(one, state.emptiest(one[0]))
    before = [set(own) for own in state.own]
    if not _has_left_topics(group):
        state.pass_over(unowned)
    if state.pass_over(order) and had_owner:
        changing = _changing(group, before)
        if _unevenness(state.own, changing) >= _unevenness(before, changing):
            return before
    return state.own


def _has_left_topics(group: GroupInput) -> bool:
    """Whether a member owns partitions of a topic that only others still read."""
    return any(
        topic in group.readers and m not in group.readers[topic]
        for m, owned in enumerate(group.owned)
        for topic, _ in owned
    )


def _changing(group: GroupInput, own: Sequence[set[Partition]]) -> list[int]:
    """Members that can lose or get a partition."""
    return [
        m
        for m in range(len(own))
        if any(len(group.readers[topic]) > 1 for topic, _ in own[m])
        or len(own[m]) < sum(group.topics[t] for t in group.topics if m in group.readers[t])
    ]


def _unevenness(own: Sequence[set[Partition]], members: Sequence[int]) -> int:
    return sum(abs(len(own[a]) - len(own[b])) for a, b in combinations(members, 2))


class _Balancing:
    """Owners of all partitions while they are moved, and from where they were moved."""

    def __init__(self, group: GroupInput, own: list[set[Partition]]) -> None:
        self.own = own
        self._readers = group.readers
        self._owner = {one: m for m, owned in enumerate(own) for one in owned}
        self._moves: dict[Partition, tuple[int, int]] = {}
        self._of_topic = {topic: [0] * len(own) for topic in group.topics}
        for (topic, _), m in self._owner.items():
            self._of_topic[topic][m] += 1

    def emptiest(self, topic: str) -> int:
        """Reader of a topic with the fewest partitions, the first of several."""
        return min(self._readers[topic], key=lambda m: len(self.own[m]))

    def give(self, one: Partition, member: int) -> None:
        owner = self._owner.get(one)
        if owner is not None:
            self.own[owner].remove(one)
            self._of_topic[one[0]][owner] -= 1
        self.own[member].add(one)
        self._owner[one] = member
        self._of_topic[one[0]][member] += 1

    def pass_over(self, partitions: Iterable[Partition]) -> bool:
        """Move partitions until a pass over them moves none; return whether any moved."""
        shared = [one for one in partitions if len(self._readers[one[0]]) > 1]
        moved = False
        while self._pass(shared):
            moved = True
        return moved

    def _pass(self, partitions: Iterable[Partition]) -> bool:
        moved = False
        for one in partitions:
            if not self._any_movable():
                break
            to = self.emptiest(one[0])
            if len(self.own[self._owner[one]]) >= len(self.own[to]) + 2:
                self._move(self._undone(one, to), to)
                moved = True
        return moved

    def _any_movable(self) -> bool:
        """Whether some owner has at least two partitions more than another reader of a topic."""
        for topic, readers in self._readers.items():
            counts = self._of_topic[topic]
            least = min(len(self.own[m]) for m in readers)
            if any(counts[m] and len(self.own[m]) >= least + 2 for m in readers):
                return True
        return False

    def _undone(self, one: Partition, to: int) -> Partition:
        """The partition to move instead: one that moved the other way before, if there is any."""
        origin = self._moves[one][0] if one in self._moves else self._owner[one]
        reverse = [q for q, move in self._moves.items() if q[0] == one[0] and move == (to, origin)]
        return min(reverse, default=one)

    def _move(self, one: Partition, to: int) -> None:
        origin = self._moves.pop(one, (self._owner[one], to))[0]
        if origin != to:
            self._moves[one] = origin, to
        self.give(one, to)
