"""A controller's protocol with consumers that answer when a test says so."""

from __future__ import annotations

from typing import Any

from live.protocol.consumer_duty import ConsumerDuty
from live.protocol.group_protocol import Actions, GroupProtocol, ProtocolSettings
from live.protocol.messages import Command, End, Hello, PartitionOffset, Start, Stop, Stopped


class GroupDesk:
    """A group, and what it has asked for.

    Attributes
    ----------
    group
        The protocol under test.
    now
        The present time; only tests move it.
    records
        Topic `state`.
    commands
        All commands, in their order.
    """

    def __init__(self, partitions: int, **settings: Any) -> None:
        self.settings = ProtocolSettings(partitions, **settings)
        self.group = GroupProtocol(self.settings, 0.0)
        self.now = 0.0
        self.records: dict[bytes, bytes | None] = {}
        self.commands: list[tuple[int, Command]] = []
        self.duties: dict[int, ConsumerDuty] = {}

    def due(self) -> Actions:
        """Do one turn, 0.01 s later."""
        self.now += 0.01
        actions = self.group.due(self.now)
        self.records.update(actions.records)
        self.commands += actions.commands
        self.group.committed(self.now)
        for consumer, incarnation in actions.launches:
            self.group.launched(consumer, incarnation, self.now)
        return actions

    def hello(self, *consumers: int, incarnation: int = 1) -> Actions:
        """Have consumers become ready."""
        for consumer in consumers:
            self.duties[consumer] = ConsumerDuty(consumer, incarnation)
            self.group.heard(Hello(consumer, incarnation, 1, 0), self.now)
        return self.due()

    def beat(self, *consumers: int) -> Actions:
        """Have consumers give a sign of life."""
        for consumer in consumers:
            self.group.heard(self.duties[consumer].beat(0), self.now)
        return self.due()

    def answer(self, actions: Actions, at: int = 50) -> Actions:
        """Have consumers obey commands and answer; what they stop is at offset `at`."""
        for consumer, command in actions.commands:
            duty = self.duties[consumer]
            task = duty.apply(command)
            event = duty.answer(task, dict.fromkeys(task.unassign, at))
            if event is not None:
                self.group.heard(event, self.now)
        return self.due()

    def settle(self, owners: list[int]) -> None:
        """Carry out a plan without faults."""
        self.group.plan(owners, self.now)
        actions = self.due()
        for consumer, incarnation in actions.launches:
            self.hello(consumer, incarnation=incarnation)
            # What `hello` made due is answered with the rest.
        for _ in range(4):
            unanswered = [c for c in self.commands if c[0] in self.duties]
            self.commands = []
            self.answer(Actions(tuple(unanswered)))
        assert self.group.is_settled
        assert self.group.owners == owners

    def succeed(self) -> None:
        """Replace the controller by a successor, which knows topic `state`."""
        self.group = GroupProtocol.restored(self.settings, self.now, self.records.items())


def starts(actions: Actions) -> dict[int, tuple[PartitionOffset, ...]]:
    """Partitions to start, by consumer."""
    return {c: cmd.partitions for c, cmd in actions.commands if isinstance(cmd, Start)}


def stops(actions: Actions) -> dict[int, list[int]]:
    """Partitions to stop, by consumer."""
    return {
        c: [row.partition for row in cmd.partitions]
        for c, cmd in actions.commands
        if isinstance(cmd, Stop)
    }


def ends(actions: Actions) -> list[tuple[int, int]]:
    """Processes to end."""
    return [
        (consumer, cmd.incarnation) for consumer, cmd in actions.commands if isinstance(cmd, End)
    ]


def stopped(
    consumer: int, partition: int, epoch: int, offset: int, incarnation: int = 1
) -> Stopped:
    """Answer to a stop."""
    return Stopped(consumer, incarnation, 1, (PartitionOffset(partition, epoch, offset),))
