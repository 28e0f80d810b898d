"""What the answer of an autoscaling strategy means for a group: consumers and owners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from algorithms.assignment import Decision

NOBODY = -1

Place = Callable[[Sequence[int], Sequence[int]], Sequence[int]]
"""Owners that the group's assignor gives to members, from the present owners."""


class Answer(NamedTuple):
    """An answer of a strategy that changes something."""

    replicas: int
    """Consumers that it wants, within the bounds of the group."""
    ranks: tuple[int, ...] | None = None
    ids: tuple[int, ...] | None = None
    """`ranks`, `ids`: for each partition, the rank of its consumer among those afterwards, or an
    id, of which unknown ones stand for new consumers; both None if the assignor places the
    partitions."""


def answer_of(decision: Decision, least: int, most: int) -> Answer | None:
    """A decision within bounds, beyond them its count alone; None if the group stays as it is."""
    if decision.replicas is None:
        return None
    count = min(max(decision.replicas, least), most)
    if count != decision.replicas:
        return Answer(count)
    ranks, ids = (
        None if values is None else tuple(int(value) for value in values)
        for values in (decision.ranks, decision.owners)
    )
    return Answer(count, ranks, ids)


def owners_after(answer: Answer, owners: Sequence[int], place: Place) -> tuple[int, ...]:
    """Owners that an answer asks for, as the simulated group has them.

    Consumers that leave are those that the ids do not use, else the highest ones; those that join
    get the lowest free numbers. Of an answer with a rank out of bounds, or more ids than consumers,
    only the count is taken.

    owners: Present consumer of each partition, -1 for none. Others do not exist.
    place: Called if the assignor places the partitions.
    """
    present = sorted(set(owners) - {NOBODY})
    if answer.ranks is not None and all(NOBODY <= r < answer.replicas for r in answer.ranks):
        after = _members(present[: answer.replicas], answer.replicas, present)
        return tuple(NOBODY if rank == NOBODY else after[rank] for rank in answer.ranks)
    if answer.ids is not None and len(set(answer.ids) - {NOBODY}) <= answer.replicas:
        return _renamed(answer.ids, present)
    after = _members(present[: answer.replicas], answer.replicas, present)
    if after == present and NOBODY not in owners:
        return tuple(owners)
    return tuple(int(owner) for owner in place(after, owners))


def _members(staying: Sequence[int], count: int, present: Sequence[int]) -> list[int]:
    """Consumers afterwards: those that stay, and the lowest numbers that are not in use."""
    return sorted((*staying, *_free(count - len(staying), present)))


def _renamed(ids: Sequence[int], present: Sequence[int]) -> tuple[int, ...]:
    """Ids with the unknown ones replaced by free numbers, both ascending."""
    unknown = sorted(set(ids) - {NOBODY, *present})
    numbers = dict(zip(unknown, _free(len(unknown), present), strict=True))
    return tuple(numbers.get(each, each) for each in ids)


def _free(count: int, present: Sequence[int]) -> list[int]:
    """The lowest numbers that are not in use."""
    used = set(present)
    return [n for n in range(count + len(used)) if n not in used][:count]
