"""A group with its controllers and consumers in a world of faults, one random step at a time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from live.protocol.group_protocol import GroupProtocol, ProtocolSettings
from live.protocol.messages import Command, Event, Start, Stopped, decode, encode
from live.protocol.plan_report import NOBODY
from tests.live.protocol.history_oracle import Broken, HistoryOracle
from tests.live.protocol.simulated_kafka import SimulatedKafka
from tests.live.protocol.simulated_processes import (
    PER_CUT,
    Failed,
    SimulatedConsumer,
    SimulatedController,
)

MAX_STEPS = 6000
"""Steps after the last fault within which the last plan must be complete."""

FAULTY_STEPS = 120
"""Steps among which the faults are."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a history is made of.

    Attributes
    ----------
    seed
        Of all choices.
    partitions, consumers
        Their numbers.
    plans
        Plans that are made, one when the last is complete.
    faults
        Number of faults, at random steps.
    at
        Steps of further faults.
    kinds
        Methods of `ProtocolWorld` that make faults.
    kills
        Whether the controller kills lost processes, and learns when one ends.
    is_encoded
        Whether messages are encoded and decoded.
    lease_s
        The lease, in the world's seconds, in which a process takes some 50 steps in all.
    """

    seed: int
    partitions: int = 3
    consumers: int = 3
    plans: int = 3
    faults: int = 0
    at: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    kills: bool = True
    is_encoded: bool = False
    lease_s: float = 1.0


class ProtocolWorld:
    """Runs one history."""

    beat_s = 0.15
    step_s = 0.04
    rate = 6.0

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.choose = random.Random(scenario.seed)
        self.kafka = SimulatedKafka(self.choose, delay=0.2)
        self.oracle = HistoryOracle(scenario.partitions, self._is_fenced)
        self.has_faults = bool(scenario.faults or scenario.at)
        self.lease_s = scenario.lease_s if self.has_faults else 1e9
        self.settings = ProtocolSettings(
            scenario.partitions,
            lease_s=self.lease_s,
            launch_s=2 * self.lease_s,
            resend_s=0.5,
            tries=10**6,
            spare=self.choose.randrange(2),
        )
        self.processes: list[SimulatedConsumer | SimulatedController] = []
        self.controllers: list[SimulatedController] = []
        self.started: dict[tuple[int, int], SimulatedConsumer] = {}
        self.incarnations: dict[int, int] = {}
        self.refused = self.yielded = 0
        self.exits: list[tuple[int, int]] = []
        self.plans_left = scenario.plans
        self.begun = 0
        self.second_controller()

    def run(self) -> None:
        """Make the faults, then wait until the group is as it is wanted."""
        scenario, choose = self.scenario, self.choose
        faults = [choose.randrange(FAULTY_STEPS) for _ in range(scenario.faults)]
        faults = sorted((*faults, *scenario.at))
        last = faults[-1] if faults else 0
        for step in range(last + MAX_STEPS):
            while faults and faults[0] == step:
                faults.pop(0)
                getattr(self, choose.choice(scenario.kinds))()
            self.step()
            if step >= last and step % 10 == 0 and self.is_quiet():
                self._check_end()
                return
        raise Broken("the group does not come to rest")

    def step(self) -> None:
        """Let one process take one step."""
        kafka, choose = self.kafka, self.choose.random
        kafka.now += self.step_s * choose()
        if choose() < 0.03 and all(controller.is_fenced for controller in self.controllers):
            self.second_controller()
        if self.processes:
            process = self.processes[int(choose() * len(self.processes))]
            if process.paused_until <= kafka.now and next(process.steps, self) is self:
                self._end(process)

    def _end(self, process: SimulatedConsumer | SimulatedController) -> None:
        process.steps = iter(())
        self.processes.remove(process)
        if isinstance(process, SimulatedController):
            self.controllers.remove(process)
        elif self.scenario.kills:
            self.exits.append((process.consumer, process.incarnation))

    # What processes ask of their world.

    def send_event(self, event: Event) -> None:
        """Send an event to the controller."""
        if isinstance(event, Stopped):
            for row in event.partitions:
                self.oracle.answered_stop(row)
        self.kafka.send("event", self.sent(event))

    def sent(self, message: Any) -> Any:
        """A message as it is in a log."""
        return encode(message, at_ns=0) if self.scenario.is_encoded else message

    def received(self, message: Any) -> Any:
        """A message as it was before it was sent."""
        return decode(message).message if self.scenario.is_encoded else message

    def committed(self, controller: int, commands: Sequence[tuple[int, Command]]) -> None:
        """Note that a controller has committed these commands."""
        self.oracle.controlled(controller)
        for consumer, command in commands:
            if isinstance(command, Start):
                for row in command.partitions:
                    self.oracle.commanded_start(consumer, command.incarnation, row)

    def records(self, partition: int) -> int:
        """Records that a partition has got so far."""
        return int(self.kafka.now * self.rate) + partition

    def launch(self, consumer: int, incarnation: int) -> None:
        """Start a process, unless it was started before."""
        if incarnation > self.incarnations.get(consumer, 0):
            self.incarnations[consumer] = incarnation
            process = SimulatedConsumer(self, consumer, incarnation)
            self.processes.append(process)
            self.started[consumer, incarnation] = process

    def kill(self, consumer: int) -> None:
        """End the processes of a slot, if the controller can."""
        if self.scenario.kills:
            for process in [p for p in self.alive if p.consumer == consumer]:
                self._end(process)

    def plan(self, group: GroupProtocol) -> None:
        """Begin a plan, if it is time."""
        if not self.has_faults and group.plans and group.is_settled:
            self._check_owners(group)
        if not group.plans or (self.plans_left and self.choose.random() < 0.5 and group.may_plan):
            self.plans_left -= self.plans_left > 0
            consumers = range(-(self.choose.random() < 0.3), self.scenario.consumers)
            owners = [self.choose.choice(consumers) for _ in range(self.scenario.partitions)]
            order = self.choose.sample(range(len(owners)), 1)
            group.plan(owners, self.kafka.now, order=order)

    # Faults.

    @property
    def alive(self) -> list[SimulatedConsumer]:
        """All processes of consumers."""
        return [process for process in self.processes if isinstance(process, SimulatedConsumer)]

    def crash_consumer(self) -> None:
        """A consumer dies."""
        if self.alive:
            self._end(self.choose.choice(self.alive))

    def leave_consumer(self) -> None:
        """A consumer is asked to end, by somebody else than the controller."""
        if self.alive:
            self.choose.choice(self.alive).leaves = True

    def pause_consumer(self) -> None:
        """A consumer stands still for up to three leases."""
        if self.alive:
            process = self.choose.choice(self.alive)
            process.paused_until = self.kafka.now + 3 * self.lease_s * self.choose.random()

    def ignore_commands(self) -> None:
        """A consumer does not answer any more, or not even obey, but gives signs of life."""
        if self.alive:
            process = self.choose.choice(self.alive)
            process.is_deaf = self.choose.random() < 0.5
            process.is_mute = True

    def crash_controller(self) -> None:
        """A controller dies."""
        if self.controllers:
            self._end(self.choose.choice(self.controllers))

    def pause_controller(self) -> None:
        """A controller stands still, and wakes up beside its successor."""
        if self.controllers:
            process = self.choose.choice(self.controllers)
            process.paused_until = self.kafka.now + 3 * self.lease_s * self.choose.random()
            self.second_controller()

    def second_controller(self) -> None:
        """A controller starts, whether or not there is one."""
        self.begun += 1
        self.controllers.append(SimulatedController(self, self.begun))
        self.processes.append(self.controllers[-1])

    def fail_controller(self) -> None:
        """A controller meets an error and recovers, maybe beside its successor."""
        begun = [process for process in self.controllers if process.producer is not None]
        if begun:
            process = self.choose.choice(begun)
            process.steps.throw(Failed())
            if self.choose.random() < 0.5:
                self.second_controller()

    def repeat_commands(self) -> None:
        """A consumer gets its last commands again."""
        if self.alive:
            process = self.choose.choice(self.alive)
            process.command_position = max(0, process.command_position - self.choose.randint(1, 4))

    def repeat_events(self) -> None:
        """A controller gets the last events again."""
        for process in self.controllers:
            process.event_position = max(0, process.event_position - self.choose.randint(1, 20))

    def outage(self) -> None:
        """The broker does not answer for longer than a lease."""
        groups = [process.group for process in self.controllers if process.group is not None]
        for group in groups:
            group.broker_silent(self.kafka.now)
        self.kafka.now += 3 * self.lease_s * self.choose.random()
        for group in groups:
            group.broker_answers(self.kafka.now)

    # The end.

    def is_quiet(self) -> bool:
        """Whether all plans are complete and all other processes have ended."""
        if self.plans_left or len(self.controllers) != 1:
            return False
        group = self.controllers[0].group
        if group is None or not group.plans or not group.is_settled:
            return False
        current = {c: inc for c, (inc, status) in group.consumers.items() if status == "ready"}
        processes = self.alive
        idle = len(current) - len(set(group.plans[-1].wanted) - {NOBODY})
        return (
            idle <= self.settings.spare
            and len(processes) == len(current)
            and all(current.get(p.consumer) == p.incarnation for p in processes)
        )

    def _check_end(self) -> None:
        group = self.controllers[0].group
        assert group is not None
        self._check_owners(group)
        self.oracle.check_duplicates(PER_CUT)
        if not self.has_faults:
            self.oracle.check_duplicates(0)
            self.oracle.check_undisturbed()

    def _check_owners(self, group: GroupProtocol) -> None:
        """Invariant 6: the consumers own what the plan wants them to, and nothing else."""
        wanted = group.plans[-1].wanted
        expected: dict[int, dict[int, int]] = {process.consumer: {} for process in self.alive}
        for partition, consumer in enumerate(wanted):
            if consumer != NOBODY:
                expected[consumer][partition] = group.epochs[partition]
        owned = {process.consumer: process.duty.owned for process in self.alive}
        if owned != expected or group.owners != list(wanted):
            raise Broken(f"wanted {wanted}, but the consumers own {owned}")

    def _is_fenced(self, consumer: int, incarnation: int) -> bool:
        producer = self.started[consumer, incarnation].producer
        return producer is None or producer.is_fenced
