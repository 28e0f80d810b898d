"""Placements of a group that asks: which of its members, by slot, gets which partitions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Placement = dict[int, list[int]]
"""Partitions by slot."""

WRONG = (ValueError, TypeError, OverflowError, RecursionError)
"""What reading raises of text that is no JSON, is nested too deeply, or has other values: JSON in
Python has infinite numbers."""


class GroupMember(NamedTuple):
    """A member as it joins."""

    member_id: str
    """Kafka's name of it."""
    slot: int
    """Its replica number."""
    incarnation: int
    """Number of its process in the slot, from 1."""
    owned: tuple[int, ...] = ()
    """Partitions that it had when it joined."""

    @property
    def user_data(self) -> bytes:
        """What its subscription says besides topics."""
        return json.dumps([self.slot, self.incarnation, self.owned]).encode()


def member_of(member_id: str, user_data: bytes) -> GroupMember | None:
    """A member by its subscription; None if that is not of a group that asks."""
    try:
        slot, incarnation, owned = json.loads(user_data)
        return GroupMember(member_id, int(slot), int(incarnation), tuple(map(int, owned)))
    except WRONG:
        return None


def by_slot(members: Iterable[GroupMember]) -> dict[int, GroupMember]:
    """The newest member of each slot: an earlier one is about to leave."""
    return {one.slot: one for one in sorted(members, key=lambda one: (one.slot, one.incarnation))}


def placement_of(content: object) -> Placement | None:
    """A placement as it is written in JSON; None if it is no such thing."""
    if not isinstance(content, Mapping):
        return None
    try:
        return {int(slot): [int(p) for p in numbers] for slot, numbers in content.items()}
    except WRONG:
        return None


def fits(placement: Placement, slots: Iterable[int], partitions: int) -> bool:
    """Whether exactly these slots have each partition once."""
    placed = sorted(number for numbers in placement.values() for number in numbers)
    return placement.keys() == set(slots) and placed == list(range(partitions))


def packed(placement: Placement, slots: Iterable[int], partitions: int) -> Placement:
    """A placement over exactly these slots.

    What it says about them stays; other partitions go, in order, to those with the fewest.
    """
    parts: Placement = {slot: [] for slot in sorted(slots)}
    homeless = set(range(partitions))
    for slot, numbers in placement.items():
        for number in numbers:
            if slot in parts and number in homeless:
                homeless.remove(number)
                parts[slot].append(number)
    for number in sorted(homeless):
        parts[min(parts, key=lambda slot: (len(parts[slot]), slot))].append(number)
    return {slot: sorted(numbers) for slot, numbers in parts.items()}


def ranged(slots: Iterable[int], partitions: int) -> Placement:
    """Consecutive partitions for each slot, the first ones one more, as Kafka's range."""
    ordered = sorted(slots)
    size, more = divmod(partitions, len(ordered))
    parts, begin = {}, 0
    for rank, slot in enumerate(ordered):
        end = begin + size + (rank < more)
        parts[slot] = list(range(begin, end))
        begin = end
    return parts


def first_round(placement: Placement, members: Sequence[GroupMember]) -> Placement:
    """What members may get at once in a cooperative rebalance.

    A partition that another member still has is withheld: that one gives it up, and joins again.
    """
    newest = by_slot(members)
    owners = {number: one.member_id for one in members for number in one.owned}
    return {
        slot: [
            n for n in numbers if owners.get(n, newest[slot].member_id) == newest[slot].member_id
        ]
        for slot, numbers in placement.items()
    }
