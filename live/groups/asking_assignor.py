"""An assignor for kafka-python's consumers that asks the run where partitions go."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from kafka.coordinator.assignors.abstract import (
    AbstractPartitionAssignor,
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    RebalanceProtocol,
)

from live.groups import asked_placements, asking_lines
from live.groups.asked_placements import WRONG, GroupMember, Placement
from live.groups.keda_trigger import NoAnswer
from live.live_settings import COOPERATIVE, LiveSettings

ANSWERED, PACKED, LAST, RANGE = "answered", "packed", "last", "range"
"""Where a placement comes from: the answer; the answer, completed; an earlier one; no answer."""

NAME = "asking"


class AskingAssignor(AbstractPartitionAssignor):  # type: ignore[misc]
    """Places the data topic's partitions as the run answers; only the group's leader asks.

    Without an answer it keeps the last placement that all members know, if it fits those that are
    present, and else places as Kafka's range. No error of the run's reaches the client.

    report: Called with ``asked``, and fields: where the placement comes from, and how long it took.
    owned: Partitions of this member.
    """

    name = NAME
    version = 0

    def __init__(
        self, settings: LiveSettings, slot: int, incarnation: int, report: Callable[..., None]
    ) -> None:
        self._topic, self._partitions = settings.topic("data"), settings.partitions
        self._is_cooperative = settings.group_protocol == COOPERATIVE
        self._file = asking_lines.port_file(Path(settings.folder))
        self._slot, self._incarnation, self._report = slot, incarnation, report
        self.owned: tuple[int, ...] = ()
        self._last: Placement = {}

    def supported_protocols(self) -> list[RebalanceProtocol]:
        """The one that the run's settings choose."""
        own = RebalanceProtocol.COOPERATIVE if self._is_cooperative else RebalanceProtocol.EAGER
        return [own]

    def metadata(self, topics: Iterable[str]) -> Any:
        """Subscription that a member joins with: its slot, and what it owns."""
        own = GroupMember("", self._slot, self._incarnation, self.owned)
        return ConsumerProtocolSubscription(self.version, sorted(topics), own.user_data)

    def assign(self, cluster: Any, members: Sequence[Any]) -> dict[str, Any]:
        """Assign all partitions to the newest members of the slots."""
        rows = [
            asked_placements.member_of(one.member_id, one.metadata.user_data) for one in members
        ]
        present = [one for one in rows if one is not None]
        newest = asked_placements.by_slot(present)
        placement = self._placement(present, newest.keys())
        shares = placement
        if self._is_cooperative:
            shares = asked_placements.first_round(placement, present)
        parts = {one.member_id: shares[slot] for slot, one in newest.items()}
        data = json.dumps(placement).encode()
        return {one.member_id: self._encoded(parts.get(one.member_id, ()), data) for one in members}

    def on_assignment(self, assignment: Any, generation: int) -> None:
        """Keep what this member owns, and where everything else is meant to be."""
        self.owned = tuple(sorted(place.partition for place in assignment.partitions()))
        try:
            self._last = asked_placements.placement_of(json.loads(assignment.user_data)) or {}
        except WRONG:
            self._last = {}

    def _placement(self, present: Sequence[GroupMember], slots: Iterable[int]) -> Placement:
        began = time.monotonic()
        source, placement = self._answer(present, set(slots))
        self._report(
            "asked", source=source, seconds=time.monotonic() - began, slots=sorted(placement)
        )
        return placement

    def _answer(self, present: Sequence[GroupMember], slots: set[int]) -> tuple[str, Placement]:
        try:
            content = asking_lines.ask(
                self._file, self._slot, self._incarnation, present, asking_lines.LIMIT_S
            )
        except NoAnswer:
            content = None
        answer = asked_placements.placement_of(content)
        if answer is not None:
            if asked_placements.fits(answer, slots, self._partitions):
                return ANSWERED, answer
            return PACKED, asked_placements.packed(answer, slots, self._partitions)
        if asked_placements.fits(self._last, slots, self._partitions):
            return LAST, self._last
        return RANGE, asked_placements.ranged(slots, self._partitions)

    def _encoded(self, partitions: Iterable[int], data: bytes) -> Any:
        numbers = sorted(partitions)
        return ConsumerProtocolAssignment(
            self.version, [(self._topic, numbers)] if numbers else [], data
        )
