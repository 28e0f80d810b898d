"""What the members of a group have been assigned, from their journals."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Member = tuple[int, int]
"""Slot and incarnation."""


class JournalTail:
    """Reads what a process appends to its journal, a file that need not exist yet."""

    def __init__(self, file: Path) -> None:
        self._file, self._at = file, 0

    def entries(self) -> list[dict[str, Any]]:
        """Entries since the last call; a line that is not complete yet comes later."""
        try:
            with self._file.open("rb") as stream:
                stream.seek(self._at)
                data = stream.read()
        except FileNotFoundError:
            return []
        whole, newline, _ = data.rpartition(b"\n")
        self._at += len(whole) + len(newline)
        return [json.loads(line) for line in whole.splitlines()]


class Assignments:
    """Which member has which partitions."""

    def __init__(self, partitions: int) -> None:
        self._partitions = partitions
        self._held: dict[Member, set[int]] = {}

    def apply(self, member: Member, entry: Mapping[str, Any]) -> None:
        """Follow an entry of a member's journal; other entries than assignments change nothing."""
        held = self._held.setdefault(member, set())
        if entry["what"] == "assigned":
            held.update(entry["partitions"])
        elif entry["what"] in ("revoked", "lost"):
            held.difference_update(entry["partitions"])

    def remove(self, member: Member) -> None:
        """Forget a member that has ended."""
        self._held.pop(member, None)

    def owners(self) -> tuple[int, ...] | None:
        """Slot by partition; None unless exactly one member has each partition."""
        owners = {number: member[0] for member, held in self._held.items() for number in held}
        if len(owners) < self._partitions or len(owners) < sum(map(len, self._held.values())):
            return None
        return tuple(owners[number] for number in range(self._partitions))

    def busiest(self, rates: Sequence[float], slots: Collection[int]) -> int | None:
        """The slot whose partitions have the highest rate together; the lowest of several.

        rates: Of each partition.
        slots: Those that count. Returns: None without any.
        """
        totals = dict.fromkeys(sorted(slots), 0.0)
        for (slot, _), held in self._held.items():
            if slot in totals:
                totals[slot] += sum(rates[number] for number in held)
        return max(totals, key=lambda slot: (totals[slot], -slot), default=None)

    def are_even(self, members: Iterable[Member]) -> bool:
        """Whether these members, and no others, have all partitions, in equal parts up to one."""
        expected = set(members)
        parts = {member: self._held.get(member, set()) for member in expected}
        sizes = [len(part) for part in parts.values()]
        others = any(held for member, held in self._held.items() if member not in expected)
        every = set().union(*parts.values())
        return (
            not others
            and len(every) == sum(sizes) == self._partitions
            and max(sizes) - min(sizes) <= 1
        )
