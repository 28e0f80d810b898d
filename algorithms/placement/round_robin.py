"""The rule of Giannakopoulos and Kalogeraki 2022: brokers in turn give and take."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle

from algorithms.placement.move_plan import BrokerLists, Replicas, places


def round_robin(replicas: Replicas, brokers: Iterable[int]) -> BrokerLists:
    """Plan by turns, for brokers that are added or removed.

    Added brokers: the others, in the order of their ids, give one replica each in turn to the new
    one, until it has its share, the replicas over the brokers, rounded down. A broker gives its
    first partition that the new one does not have, and is passed over without one. Several are
    added one after the other. Removed brokers: their partitions, in their order, go to the others
    in turn.

    The paper's rule is for one replica of each partition. Above, this is our extension: a broker
    that has the partition already is passed over, and the new broker takes the place of the old one
    in the list, so that it becomes the preferred leader where the old one was.

    replicas, brokers: As for `algorithms.placement.least_moves`. A broker without replicas is new.
    Raises InvalidParameterError if the placement is not valid.

    O(M P B) for M moves.

    >>> round_robin([[1], [1], [2], [2], [1], [2]], [1, 2, 3])
    ((3,), (1,), (3,), (2,), (1,), (2,))
    >>> round_robin([[1], [1], [2], [2], [3], [3]], [1, 2])
    ((1,), (1,), (2,), (2,), (1,), (2,))
    """
    place = places(replicas, brokers, None)
    lists = [list(row) for row in replicas]
    share = int(place.needs.sum()) // len(place.brokers)
    used = {broker for row in lists for broker in row}
    givers = [broker for broker in place.brokers if broker in used]
    for new in (broker for broker in place.brokers if broker not in used):
        _give(lists, givers, new, share)
        givers.append(new)
    _drain(lists, place.brokers)
    return tuple(tuple(row) for row in lists)


def _give(lists: list[list[int]], givers: list[int], new: int, share: int) -> None:
    """Let brokers give to a new one in turn; all have had a turn for nothing at the end of it."""
    left, in_vain = share, 0
    for giver in cycle(givers or [new]):
        if not left or in_vain == len(givers):
            return
        row = next((row for row in lists if giver in row and new not in row), None)
        if row is None:
            in_vain += 1
            continue
        row[row.index(giver)] = new
        left, in_vain = left - 1, 0


def _drain(lists: list[list[int]], brokers: tuple[int, ...]) -> None:
    """Let brokers take in turn what others have."""
    turn = 0
    for row in lists:
        for place, broker in enumerate(row):
            if broker in brokers:
                continue
            while brokers[turn % len(brokers)] in row:
                turn += 1
            row[place] = brokers[turn % len(brokers)]
            turn += 1
