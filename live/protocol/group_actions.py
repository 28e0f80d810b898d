"""What the controller's protocol is set to, and what it asks its process to do."""

from __future__ import annotations

from dataclasses import dataclass

from live.protocol.group_knowledge import Process
from live.protocol.group_records import Record
from live.protocol.loss_settings import LaunchTime, Lease
from live.protocol.messages import Command


@dataclass(frozen=True)
class ProtocolSettings(Lease, LaunchTime):
    """Settings of the protocol."""

    partitions: int
    """Number of partitions P."""
    resend_s: float = 5.0
    """A command without an answer is sent again after this time, seconds."""
    tries: int = 3
    """Launches of a consumer, in a row, that may be lost before it is ready."""
    cycle_s: float = 0.0
    """Time between two looks of a consumer for commands, at most, seconds. A consumer that does not
    answer for a lease more is lost."""
    holder: str = ""
    """Name of this controller's process (`GroupClaim`)."""


@dataclass(frozen=True, slots=True)
class Actions:
    """What to do now."""

    commands: tuple[tuple[int, Command], ...] = ()
    """Consumers, and a message for each. With `records`, they are one transaction."""
    records: tuple[Record, ...] = ()
    """New records of topic `state`, keys and values."""
    launches: tuple[Process, ...] = ()
    """Processes to ask the launcher for, once the transaction is committed; then call
    `GroupProtocol.launched`. A controller that took over asks again for those that never were
    ready: launching must be idempotent."""
    fences: tuple[Process, ...] = ()
    """Lost processes: kill them, initialise the transactional ids of their slots, and call
    `GroupProtocol.fenced`. They are listed until then."""
    failed: tuple[int, ...] = ()
    """Consumers that are wanted but were launched too often in vain."""

    @property
    def needs_transaction(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.commands or self.records)


class PlanRunning(Exception):
    """A plan cannot be replaced before it is complete."""
