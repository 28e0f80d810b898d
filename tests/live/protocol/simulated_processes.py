"""A consumer and a controller as generators: a crash or a pause can come at each `yield`."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from live.protocol import group_records
from live.protocol.consumer_duty import ConsumerDuty, Task
from live.protocol.group_claim import GroupClaim
from live.protocol.group_protocol import Actions, GroupProtocol
from live.protocol.group_records import Record
from live.protocol.messages import Bye, Hello, PartitionOffset
from tests.live.protocol.simulated_kafka import Fenced, SimulatedProducer

if TYPE_CHECKING:
    from tests.live.protocol.protocol_world import ProtocolWorld

SLICE = 3
"""Records that a consumer processes before it looks around."""

UNWRITTEN = 4
"""Records from which on a consumer writes progress."""

PER_CUT = UNWRITTEN + 2 * SLICE
"""Duplicates that the loss of an owner may cause: records without progress, and one slice."""

Steps = Generator[None, None, None]


@dataclass(slots=True)
class Position:
    """Where a consumer is in a partition."""

    epoch: int
    next: int
    written: int


@dataclass(slots=True)
class SimulatedConsumer:
    """One process of a consumer's slot."""

    world: ProtocolWorld
    consumer: int
    incarnation: int
    duty: ConsumerDuty = field(init=False)
    producer: SimulatedProducer | None = None
    command_position: int = 0
    positions: dict[int, Position] = field(default_factory=dict)
    """Of the partitions assigned, and of those whose progress is not written yet."""
    turned_at: float = 0.0
    beat_at: float = 0.0
    wrote_at: float = 0.0
    paused_until: float = 0.0
    leaves: bool = False
    """Whether somebody has asked it to end, other than the controller."""
    is_deaf: bool = False
    """Whether it reads no commands any more, but gives signs of life."""
    is_mute: bool = False
    """Whether it obeys, but does not answer any more."""
    steps: Steps = field(init=False)

    def __post_init__(self) -> None:
        self.duty = ConsumerDuty(self.consumer, self.incarnation)
        self.steps = self._run()

    @property
    def slot(self) -> str:
        return f"c{self.consumer}"

    def _run(self) -> Steps:
        world, kafka = self.world, self.world.kafka
        self.producer = kafka.init(self.slot)
        yield
        world.send_event(Hello(self.consumer, self.incarnation, 1, 0))
        self.turned_at = self.wrote_at = kafka.now
        while True:
            yield
            try:
                yield from self._turn()
            except Fenced:
                world.refused += 1
                return
            if self.leaves or self.duty.is_ending:
                return

    def _turn(self) -> Steps:
        world, now = self.world, self.world.kafka.now
        stood_still = now - self.turned_at > world.lease_s / 2
        self.turned_at = now
        # Once a lease it proves that no other process has taken over.
        if stood_still or self.leaves or now - self.wrote_at > world.lease_s:
            yield from self._write_progress()
        if self.leaves:
            world.send_event(Bye(self.consumer, self.incarnation))
            return
        if not self.is_deaf:
            yield from self._look_for_commands()
        if self.duty.owned:
            yield from self._process()
        if now - self.beat_at > world.beat_s:
            self.beat_at = now
            world.send_event(self.duty.beat(0))

    def _look_for_commands(self) -> Steps:
        """Obey the next command; those for earlier processes take no time."""
        world, log = self.world, f"command/{self.consumer}"
        while True:
            command, self.command_position = world.kafka.next(log, self.command_position)
            if command is None:
                return
            task = self.duty.apply(world.received(command))
            if not task.skipped:
                yield from self._obey(task)
                return

    def _obey(self, task: Task) -> Steps:
        for row in task.assign:
            self.positions[row.partition] = Position(row.epoch, row.offset, row.offset)
        nexts = {}
        if task.unassign:
            yield from self._write_progress()
            nexts = {partition: self.positions.pop(partition).next for partition in task.unassign}
        yield
        answer = self.duty.answer(task, nexts)
        if answer is not None and not self.is_mute:
            self.world.send_event(answer)

    def _process(self) -> Steps:
        owned, choose = list(self.duty.owned), self.world.choose.random
        for _ in range(SLICE):
            partition = owned[int(choose() * len(owned))]
            position = self.positions[partition]
            if position.next < self.world.records(partition):
                oracle = self.world.oracle
                oracle.processed(partition, position.epoch, position.next)
                position.next += 1
                if choose() < 0.1:
                    yield
        if sum(p.next - p.written for p in self.positions.values()) >= UNWRITTEN:
            yield from self._write_progress()

    def _write_progress(self) -> Steps:
        assert self.producer is not None
        rows = [
            PartitionOffset(partition, position.epoch, position.next)
            for partition, position in self.positions.items()
            if position.next > position.written
        ]
        self.producer.begin()
        for row in rows:
            self.producer.send("progress", row)
        yield
        self.producer.commit()
        self.wrote_at = self.world.kafka.now
        for row in rows:
            self.world.oracle.wrote_progress(row)
            self.positions[row.partition].written = row.offset


class Failed(Exception):
    """An error that a controller recovers from."""


@dataclass(slots=True)
class SimulatedController:
    """One process of the controller, which takes over again after an error."""

    world: ProtocolWorld
    number: int
    claim: GroupClaim = field(init=False)
    group: GroupProtocol | None = None
    producer: SimulatedProducer | None = None
    event_position: int = 0
    exit_position: int = 0
    paused_until: float = 0.0
    steps: Steps = field(init=False)

    def __post_init__(self) -> None:
        self.claim = GroupClaim(f"controller {self.number}")
        self.steps = self._run()

    @property
    def is_fenced(self) -> bool:
        return self.producer is not None and self.producer.is_fenced

    def _run(self) -> Steps:
        world = self.world
        while True:
            try:
                yield from self._work()
            except Fenced:
                return
            except Failed:
                self.group = None
                if not self.claim.is_made:
                    # Its take-over may have fenced a newer one, so it returns like a new one.
                    world.begun += 1
                    self.number = world.begun
                self.paused_until = world.kafka.now + world.lease_s * world.choose.random()

    def _state(self) -> list[Record]:
        kafka = self.world.kafka
        return kafka.committed("state", kafka.stable_end("state"))

    def _work(self) -> Steps:
        world, kafka = self.world, self.world.kafka
        yield
        # Between these two, a real controller leaves a moment in which another may take over.
        if not self.claim.allows(group_records.holder(self._state())):
            world.yielded += 1
            raise Fenced
        self.claim.forget()
        self.producer = kafka.init("controller")
        yield
        records = self._state()
        self.claim.took(group_records.holder(records))
        settings = replace(world.settings, holder=self.claim.name)
        self.group = GroupProtocol.restored(settings, kafka.now, records)
        # Events that the last controller has read may be read again, or left out.
        self.event_position = world.choose.randint(0, kafka.end("event"))
        while True:
            yield
            yield from self._turn(self.group)

    def _turn(self, group: GroupProtocol) -> Steps:
        world, kafka = self.world, self.world.kafka
        while True:
            event, self.event_position = kafka.next("event", self.event_position)
            if event is None:
                break
            group.heard(world.received(event), kafka.now)
        for consumer, incarnation in world.exits[self.exit_position :]:
            group.exited(consumer, incarnation, kafka.now)
        self.exit_position = len(world.exits)
        world.plan(group)
        actions = group.due(kafka.now)
        if actions.needs_transaction:
            yield from self._write(actions)
            group.committed(kafka.now)
        for consumer, incarnation in actions.launches:
            world.launch(consumer, incarnation)
            group.launched(consumer, incarnation, kafka.now)
            yield
        if actions.fences:
            yield from self._fence(group, actions)

    def _write(self, actions: Actions) -> Steps:
        assert self.producer is not None
        producer, world = self.producer, self.world
        producer.begin()
        for key, value in actions.records:
            producer.send("state", (key, value))
        if world.choose.random() < 0.3:
            yield
        for consumer, command in actions.commands:
            producer.send(f"command/{consumer}", world.sent(command))
        if world.choose.random() < 0.3:
            yield
        producer.commit()
        world.committed(self.number, actions.commands)
        yield

    def _fence(self, group: GroupProtocol, actions: Actions) -> Steps:
        world, kafka = self.world, self.world.kafka
        for consumer, _ in actions.fences:
            world.kill(consumer)
            kafka.init(f"c{consumer}")
            yield
        # The committed end as of now may lie behind a transaction that another consumer has open:
        # what was committed behind that one must be read too.
        end = kafka.end("progress")
        for _ in range(10):
            if kafka.stable_end("progress") >= end:
                progress: dict[int, int] = {}
                for row in kafka.committed("progress", end):
                    progress[row.partition] = row.offset
                yield
                for consumer, incarnation in actions.fences:
                    group.fenced(consumer, incarnation, progress, kafka.now)
                return
            yield
