"""How many slots a group needs, from topic `state`."""

from __future__ import annotations

from collections.abc import Iterable

from live.protocol import group_records


class UsedSlots:
    """The consumers that have not ended: asked for, at work, leaving, or not yet fenced."""

    def __init__(self) -> None:
        self._used: set[int] = set()

    def take(self, records: Iterable[tuple[bytes, bytes | None]]) -> None:
        """Take in records of topic `state`, in its order."""
        for key, value in records:
            slot = group_records.consumer_of(key)
            if slot is None:
                continue
            if group_records.is_used(value):
                self._used.add(slot)
            else:
                self._used.discard(slot)

    @property
    def needed(self) -> int:
        """Slots from 0 on, so that all used ones are among them."""
        return max(self._used, default=-1) + 1
