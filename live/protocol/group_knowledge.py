"""What the controller knows of partitions and consumers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from live.protocol.plan_report import NOBODY, Launch, Move, Plan


class Status(StrEnum):
    """Status of a consumer's slot.

    A slot in use goes from ``ASKED`` to ``READY`` to ``LEAVING`` to ``GONE``, or from any of them
    to ``LOST`` and, once it is fenced, to ``GONE``. From there it can be asked for again.
    """

    ASKED = "asked"
    READY = "ready"
    LEAVING = "leaving"
    LOST = "lost"
    GONE = "gone"


class Phase(StrEnum):
    """Phase of a partition: ``FREE``, ``STARTING``, ``OWNED``, ``STOPPING``, and ``FREE`` again."""

    FREE = "free"
    STARTING = "starting"
    OWNED = "owned"
    STOPPING = "stopping"


@dataclass(slots=True)
class PartitionState:
    """What is known of a partition."""

    partition: int
    """Its number."""
    phase: Phase = Phase.FREE
    """Where it is on its way between owners."""
    owner: int = NOBODY
    """The consumer that may process it, `NOBODY` if it is free."""
    epoch: int = 0
    """Number of its last start; 0 if it never was started."""
    offset: int = 0
    """Where the last start began; if the partition is free, where the next one begins."""
    plan: int = 0
    """The plan that last started it."""
    move: Move | None = None
    """The last move, or the present one."""
    asked_s: float = -math.inf
    """Time of the last command about it."""
    unanswered_s: float = math.inf
    """Time of the first command of this phase, while it has no answer; else infinite."""

    def asked(self, now: float) -> None:
        """Note a command about it."""
        self.asked_s, self.unanswered_s = now, min(now, self.unanswered_s)


@dataclass(slots=True)
class Member:
    """What is known of a consumer's slot."""

    consumer: int
    """Number of the slot."""
    incarnation: int = 0
    """How many processes the launcher was asked for."""
    status: Status = Status.GONE
    """Status of the last one."""
    tries: int = 0
    """How many in a row were lost before they were ready."""
    sign_s: float = -math.inf
    """Last sign of life, or when the launcher was asked."""
    asked_s: float = -math.inf
    """Time of the last command to end."""
    unanswered_s: float = math.inf
    """Time of the first one, while it has no answer; infinite without one."""

    def asked(self, now: float) -> None:
        """Note a command to end."""
        self.asked_s, self.unanswered_s = now, min(now, self.unanswered_s)


Process = tuple[int, int]
"""Consumer and incarnation."""

Key = tuple[str, int]
"""Key of a record in topic `state`: what it is about, and its number."""

PARTITION, CONSUMER, PLAN = "partition", "consumer", "plan"

CONTROLLER: Key = ("controller", 0)
"""Key of the record of who controls the group. Writing it shows whether one is fenced."""

KEPT_PLANS = 5
"""Number of plans to keep. A successor needs only the last; the others are for people to read."""


@dataclass(slots=True)
class GroupState:
    """Everything that a controller hands down to its successor."""

    partitions: list[PartitionState]
    """In the order of their numbers."""
    members: dict[int, Member] = field(default_factory=dict)
    """By consumer."""
    plans: dict[int, Plan] = field(default_factory=dict)
    """The last ones by number, in ascending order."""
    changed: dict[Key, None] = field(default_factory=dict)
    """What differs from topic `state`, from which plans vanish that are not kept."""
    holder: str = ""
    """Name of the controller that has written last; empty if there was none."""
    strays: set[Process] = field(default_factory=set)
    """Processes that were alive after their slots had lost them, and must end; not handed down."""

    @property
    def plan(self) -> Plan | None:
        """The last plan."""
        return next(reversed(self.plans.values()), None)

    def member(self, consumer: int) -> Member:
        """A consumer's slot, new if it was never used."""
        return self.members.setdefault(consumer, Member(consumer))

    def status(self, consumer: int) -> Status:
        """Status of a consumer's slot; one that was never used is gone."""
        member = self.members.get(consumer)
        return Status.GONE if member is None else member.status

    def wanted(self, partition: int) -> int:
        """The consumer that the last plan wants for a partition."""
        plan = self.plan
        return NOBODY if plan is None else plan.wanted[partition]

    def launch_of(self, consumer: int, incarnation: int) -> tuple[Plan, Launch] | None:
        """The launch of a process, with the plan that it is in."""
        return next(
            (
                (plan, launch)
                for plan in reversed(self.plans.values())
                for launch in plan.launches
                if (launch.consumer, launch.incarnation) == (consumer, incarnation)
            ),
            None,
        )

    def owned_by(self, consumer: int) -> list[PartitionState]:
        """Partitions that a consumer may be processing."""
        return [state for state in self.partitions if state.owner == consumer]

    def unanswered(self) -> dict[int, float]:
        """Time of the oldest command without an answer by consumer, infinite without one."""
        times = {member.consumer: member.unanswered_s for member in self.members.values()}
        for state in self.partitions:
            if state.owner in times:
                times[state.owner] = min(times[state.owner], state.unanswered_s)
        return times

    def set_phase(self, state: PartitionState, phase: Phase) -> None:
        """Change a partition's phase."""
        state.phase, state.unanswered_s = phase, math.inf
        self.changed[PARTITION, state.partition] = None

    def set_status(self, member: Member, status: Status) -> None:
        """Change a consumer's status."""
        member.status, member.unanswered_s = status, math.inf
        self.changed[CONSUMER, member.consumer] = None

    def begin(self, plan: Plan) -> None:
        """Add a plan; forget all others but the last, and the last that the strategy decided."""
        self.plans[plan.number] = plan
        self.touch(plan)
        decided = [number for number, each in self.plans.items() if each.iteration >= 0]
        kept = {*list(self.plans)[-KEPT_PLANS:], *decided[-1:]}
        for number in self.plans.keys() - kept:
            del self.plans[number]
            self.changed[PLAN, number] = None

    def touch(self, plan: Plan) -> None:
        """Note that a plan has changed."""
        self.changed[PLAN, plan.number] = None

    def started(self, state: PartitionState, now: float) -> None:
        """Note that the owner of a partition has started it."""
        self.set_phase(state, Phase.OWNED)
        plan, move = self.plans.get(state.plan), state.move
        # A controller that took over asks again: the first answer is the one to measure.
        if plan is not None and move is not None and move.started_s is None:
            move.started_s = now
            self.touch(plan)

    def free(self, state: PartitionState, offset: int, now: float) -> None:
        """Take a partition from its owner, which has stopped at an offset or is fenced."""
        move = state.move
        if state.phase is not Phase.STOPPING or move is None:
            move = Move(state.partition, state.owner)
        move.stopped_s = now
        state.move, state.owner = move, NOBODY
        # An owner that never wrote progress leaves the partition where it was started.
        state.offset = max(state.offset, offset)
        self.set_phase(state, Phase.FREE)


def unused(partitions: int, offsets: Mapping[int, int]) -> GroupState:
    """State of a group that never had consumers; offsets by partition, 0 where left out."""
    return GroupState([PartitionState(p, offset=offsets.get(p, 0)) for p in range(partitions)])
