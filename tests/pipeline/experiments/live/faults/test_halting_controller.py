"""A controller stops at the moment that a script has requested, and at no other."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from live.controller.launcher_channel import LauncherChannel
from live.controller.transactions import Outgoing, TransactionalWriter
from live.protocol.group_actions import Actions
from live.protocol.group_protocol import GroupProtocol, ProtocolSettings
from live.protocol.messages import (
    Beat,
    Bye,
    End,
    Event,
    Hello,
    PartitionEpoch,
    PartitionOffset,
    Started,
    Stop,
    Stopped,
    encode,
)
from pipeline.experiments.live.faults import halting_controller
from pipeline.experiments.live.faults.halt_point import MOMENTS, HaltPoint

pytestmark = pytest.mark.unit

PLANS = ((0, 0), (0, 1), (1, 1))
"""A consumer begins, another one is launched for a move, and the first one ends."""


class Halted(Exception):
    """Instead of SIGSTOP."""


class Client:
    """A producer that notes what becomes of its last transaction."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def begin_transaction(self) -> None:
        self.done = ["begun"]

    def produce(self, topic: str, value: bytes, **_: Any) -> None:
        if topic.endswith(".command"):
            self.done.append(json.loads(value)["kind"])

    def commit_transaction(self, _: float) -> None:
        self.done.append("committed")


class Launches:
    """A launcher's channel that notes what it is asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[dict[str, Any]] = []
        name = "live.controller.launcher_channel.send"
        monkeypatch.setattr(name, lambda _, message: self.asked.append(message))
        self.channel = LauncherChannel.__new__(LauncherChannel)
        self.channel._writing = -1


class Controller:
    """The loop of a controller with consumers that answer at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.client, self.launches, self.now = Client(), Launches(monkeypatch), 0.0
        self.writer = TransactionalWriter.__new__(TransactionalWriter)
        self.writer._producer = self.client  # type: ignore[assignment]
        self.records: dict[bytes, bytes | None] = {}
        self.group = GroupProtocol(ProtocolSettings(2), 0.0)

    def run(self) -> None:
        """Carry out all plans, and take over from that."""
        for owners in PLANS:
            self.group.plan(owners, self.now)
            while not self.group.is_settled:
                self._turn()
            # Consumers without partitions end afterwards.
            self._turn()
            owned = {p: epoch for p, epoch in enumerate(self.group.epochs) if owners[p] == 0}
            self.group.heard(Beat(0, 1, owned, 0), self.now)
        GroupProtocol.restored(ProtocolSettings(2), self.now, self.records.items())

    def _turn(self) -> None:
        self.now += 0.1
        actions = self.group.due(self.now)
        commands = [Outgoing("g.command", c, encode(m, 1)) for c, m in actions.commands]
        self.writer.commit([*commands, Outgoing("g.state", 0, b"{}", b"plan/1")])
        self.records.update(actions.records)
        for launch in actions.launches:
            self.launches.channel.launch(*launch)
        for event in answers(actions):
            self.group.heard(event, self.now)


def answers(actions: Actions) -> Iterator[Event]:
    """What consumers say to commands."""
    for consumer, incarnation in actions.launches:
        yield Hello(consumer, incarnation, 1, 1)
    for consumer, command in actions.commands:
        sender = (consumer, command.incarnation)
        if isinstance(command, End):
            yield Bye(*sender)
        elif isinstance(command, Stop):
            left = tuple(PartitionOffset(*row, offset=5) for row in command.partitions)
            yield Stopped(*sender, command.plan, left)
        else:
            begun = tuple(PartitionEpoch(row.partition, row.epoch) for row in command.partitions)
            yield Started(*sender, command.plan, begun)


@pytest.fixture
def point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HaltPoint:
    """The halt point of a run, at which this process raises `Halted`."""
    for owner, names in (
        (GroupProtocol, ("restored", "heard", "plan")),
        (LauncherChannel, ("launch",)),
        (TransactionalWriter, ("commit",)),
    ):
        for name in names:
            # Put back after the test.
            monkeypatch.setattr(owner, name, owner.__dict__[name])
    monkeypatch.setattr(halting_controller, "SEND_S", 0.0)

    def halt(pid: int, number: int) -> None:
        assert (pid, number) == (os.getpid(), signal.SIGSTOP)
        raise Halted

    monkeypatch.setattr(os, "kill", halt)
    point = HaltPoint(tmp_path)
    halting_controller.install(point)
    return point


LAUNCH = {"launch": [0, 1]}

HALTED: Mapping[str, Callable[[Controller], bool]] = {
    "observe": lambda c: c.group.is_settled and len(c.group.plans) == 1,
    "recover": lambda c: len(c.group.plans) == len(PLANS),
    "decide": lambda c: len(c.group.plans) == 1 and c.client.done == [],
    "ask": lambda c: c.client.done == ["begun", "committed"] and c.launches.asked == [],
    "asked": lambda c: c.client.done == ["begun", "committed"] and c.launches.asked == [LAUNCH],
    "stop open": lambda c: c.client.done == ["begun", "stop"],
    "stop committed": lambda c: c.client.done == ["begun", "stop", "committed"],
    "start open": lambda c: c.client.done == ["begun", "start"],
    "start committed": lambda c: c.client.done == ["begun", "start", "committed"],
    "end open": lambda c: c.client.done == ["begun", "end"],
    "end committed": lambda c: c.client.done == ["begun", "end", "committed"],
}
"""What holds when a controller has stopped at a moment."""


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_controller_stops_at_the_moment(
    moment: str, point: HaltPoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller = Controller(monkeypatch)
    point.request(moment)
    with pytest.raises(Halted):
        controller.run()
    assert point.is_reached
    assert HALTED[moment](controller)
    # Its successor does not stop there again.
    Controller(monkeypatch).run()


def test_a_controller_goes_on_where_none_is_to_stop(
    point: HaltPoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    point.request("decide")
    point.withdraw()
    controller = Controller(monkeypatch)
    controller.run()
    assert not point.is_reached
    assert controller.group.owners == list(PLANS[-1])
