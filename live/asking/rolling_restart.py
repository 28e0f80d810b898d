"""A rolling restart of a group: which members leave next, and how many start."""

from __future__ import annotations

from collections.abc import Collection

from algorithms.simulation.incident_kinds import Restart


class RollingRestart:
    """Replaces all members that there are as it begins, as the simulated group does.

    A step ends the old members with the lowest slots, as many as may be unavailable, and starts new
    ones in the lowest slots that are free, as many as the surge allows.
    """

    def __init__(self, members: Collection[int], parameters: Restart) -> None:
        self._old, self._size = set(members), len(members)
        self._surge = resolved(parameters.surge, self._size, up=True)
        self._unavailable = resolved(parameters.unavailable, self._size, up=False)
        if self._surge == 0:
            self._unavailable = max(self._unavailable, 1)

    def after_next(self, members: Collection[int]) -> frozenset[int] | None:
        """Members after the next step; None if there is none."""
        old = sorted(self._old.intersection(members))
        count, size = len(members), self._size
        leaving = min(len(old), max(count - (size - self._unavailable), 0))
        fresh = count - len(old)
        starts = max(min(size - fresh, size + self._surge - (count - leaving)), 0)
        if leaving + starts == 0:
            return None
        self._old.difference_update(old[:leaving])
        return frozenset(members) - set(old[:leaving]) | set(free_slots(members, starts))


def free_slots(members: Collection[int], count: int) -> list[int]:
    """The lowest slots that no member has."""
    return [slot for slot in range(len(members) + count) if slot not in members][:count]


def resolved(number: int | str, size: int, *, up: bool) -> int:
    """Members that a limit allows: a number, or a share of the group such as 25%.

    >>> resolved("25%", 5, up=True), resolved("25%", 5, up=False), resolved(2, 5, up=True)
    (2, 1, 2)
    """
    if not isinstance(number, str):
        return int(number)
    hundredths = int(number.removesuffix("%")) * size
    return -(-hundredths // 100) if up else hundredths // 100
