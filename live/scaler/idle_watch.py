"""Whether a group is idle: only a complete look can say so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from live.scaler.group_look import Look
from live.scaler.idle_settings import LATEST, IdleSettings


class Idleness(NamedTuple):
    """What a look says."""

    is_idle: bool
    said: str
    """Why, in words."""


class IdleWatch:
    """Compares each look with the one before, however long ago: what moved between, has moved.

    topics: Those that the group reads, in the order of looks.
    was_idle: Whether the group was idle when the scaler ended.
    """

    def __init__(self, settings: IdleSettings, topics: Sequence[str], was_idle: bool) -> None:
        self._settings, self._topics, self._was_idle = settings, topics, was_idle
        self._ends: tuple[int, ...] | None = None
        self._quiet_since_s = math.inf

    def see(self, look: Look) -> Idleness:
        """Take a look."""
        before, self._ends = self._ends, look.ends
        why = self._unread(look)
        if before is None:
            # A group without members has read nothing since the scaler ended.
            stays_idle = self._was_idle and not look.members
            self._quiet_since_s = -math.inf if stays_idle else look.at_s
        elif before != look.ends:
            self._quiet_since_s, why = look.at_s, why or "records have arrived"
        if why:
            self._quiet_since_s = look.at_s
            return Idleness(False, why)
        quiet_s, cooldown_s = look.at_s - self._quiet_since_s, self._settings.cooldown_s
        if quiet_s < cooldown_s:
            return Idleness(False, f"quiet for {quiet_s:.0f} of {cooldown_s:g} s")
        return Idleness(True, f"idle: no record for {cooldown_s:g} s, and none unread")

    def _unread(self, look: Look) -> str:
        """Why some partition needs a member; empty if none does."""
        for number, (end, offset) in enumerate(zip(look.ends, look.committed, strict=True)):
            name = self._name(number, look.sizes)
            if offset is None and self._settings.offset_reset == LATEST:
                return f"{name} has no commit, so that a member would begin at its end"
            if offset is not None and offset > end:
                return f"the commit of {name} is beyond its end, as after a new topic of its name"
            unread = end - (look.begins[number] if offset is None else offset)
            if unread > self._settings.activation:
                return f"{name} has {unread:,} unread records"
        return ""

    def _name(self, number: int, sizes: Sequence[int]) -> str:
        """A partition's name."""
        topic = 0
        while number >= sizes[topic]:
            number -= sizes[topic]
            topic += 1
        return f"partition {number}" + f" of topic {self._topics[topic]!r}" * (len(sizes) > 1)
