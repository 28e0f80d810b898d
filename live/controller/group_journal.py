"""What a controller's journal says of its group: plans, commands, answers and faults."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from live.controller.live_decisions import Wanted
from live.controller.plan_journal import plan_entry
from live.protocol.messages import Command, Event, kind_of
from live.protocol.plan_report import Plan
from live.records.journal import Journal


class GroupJournal:
    """Writes the entries of one controller. capacity: Packing capacity C, bytes/s."""

    def __init__(self, journal: Journal, capacity: float) -> None:
        self._journal, self._capacity = journal, capacity
        self._begun: tuple[Plan, Wanted, Sequence[int]] | None = None

    def handed(self, commands: int) -> None:
        """So many commands go to the client now."""
        self._journal.write("handed", commands=commands)

    def unchanged(self, wanted: Wanted) -> None:
        """What is wanted is there already."""
        self._journal.write(
            "iteration", iteration=wanted.iteration, wanted=wanted.owners, plan=None
        )

    def begun(self, plan: Plan, wanted: Wanted, present: Sequence[int]) -> None:
        """A plan begins, which replaces the last one, complete or not."""
        self._begun = plan, wanted, present
        self._journal.write(
            "iteration", iteration=wanted.iteration, wanted=wanted.owners, plan=plan.number
        )

    def look(self) -> None:
        """Write the entry of the last plan that was begun here, once it is complete."""
        if self._begun is not None and self._begun[0].completed_s is not None:
            self._journal.write("plan", **plan_entry(*self._begun, self._capacity))
            self._begun = None

    def heard(self, event: Event) -> None:
        """A consumer has sent an event; beats are left out."""
        if kind_of(event) != "beat":
            self._rows("heard", event, event.consumer)

    def sent(self, commands: Iterable[tuple[int, Command]]) -> None:
        """Commands are committed, each for a consumer."""
        for consumer, command in commands:
            self._rows("sent", command, consumer)

    def fault(self, kind: str, consumer: int, incarnation: int, message: str) -> None:
        """Something has gone wrong with a process."""
        self._journal.write(
            "fault", kind=kind, consumer=consumer, incarnation=incarnation, message=message
        )

    def _rows(self, what: str, message: Event | Command, consumer: int) -> None:
        """An entry for each partition of a message, or one if it has none."""
        rows: Sequence[Any] = getattr(message, "partitions", None) or (None,)
        for row in rows:
            self._journal.write(
                what,
                kind=kind_of(message),
                consumer=consumer,
                incarnation=message.incarnation,
                plan=getattr(message, "plan", None),
                **{name: getattr(row, name, None) for name in ("partition", "epoch", "offset")},
            )
