"""What the controller does next: launches, moves of partitions, and ends of idle consumers."""

from __future__ import annotations

from dataclasses import dataclass, field

from live.protocol.group_knowledge import (
    GroupState,
    Member,
    PartitionState,
    Phase,
    Process,
    Status,
)
from live.protocol.messages import (
    Command,
    End,
    PartitionEpoch,
    PartitionOffset,
    Start,
    Stop,
)
from live.protocol.plan_report import NOBODY, Launch, Move, Plan


@dataclass(slots=True)
class Orders:
    """Commands to be sent together, by consumer."""

    stops: dict[int, list[PartitionEpoch]] = field(default_factory=dict)
    starts: dict[int, list[PartitionOffset]] = field(default_factory=dict)
    """`stops`, `starts`: rows of the messages, in the order in which the partitions are to move."""
    ends: list[Process] = field(default_factory=list)
    """Processes to end."""

    def stop(self, partition: PartitionState, now: float) -> None:
        """Have the owner of a partition stop it."""
        row = PartitionEpoch(partition.partition, partition.epoch)
        self.stops.setdefault(partition.owner, []).append(row)
        partition.asked(now)

    def start(self, partition: PartitionState, now: float) -> None:
        """Have the owner of a partition start it."""
        row = PartitionOffset(partition.partition, partition.epoch, partition.offset)
        self.starts.setdefault(partition.owner, []).append(row)
        partition.asked(now)

    def messages(self, state: GroupState) -> tuple[tuple[int, Command], ...]:
        """Commands, each with the consumer that it is for."""
        plan = 0 if state.plan is None else state.plan.number
        commands: list[tuple[int, Command]] = []
        for consumer, stopping in self.stops.items():
            incarnation = state.members[consumer].incarnation
            commands.append((consumer, Stop(incarnation, plan, tuple(stopping))))
        for consumer, starting in self.starts.items():
            incarnation = state.members[consumer].incarnation
            commands.append((consumer, Start(incarnation, plan, tuple(starting))))
        commands += [(consumer, End(incarnation)) for consumer, incarnation in self.ends]
        return tuple(commands)


def launch_missing(state: GroupState, tries: int, now: float) -> list[Member]:
    """Ask for consumers that are wanted and gone, unless they were tried too often."""
    plan = state.plan
    members = []
    for consumer in sorted(set(() if plan is None else plan.wanted) - {NOBODY}):
        member = state.member(consumer)
        if plan is not None and member.status is Status.GONE and member.tries < tries:
            member.incarnation += 1
            member.sign_s = now
            state.set_status(member, Status.ASKED)
            plan.launches.append(Launch(consumer, member.incarnation))
            state.touch(plan)
            members.append(member)
    return members


def advance(state: GroupState, orders: Orders, plan: Plan, resend_s: float, now: float) -> None:
    """Take each partition as far as it can go before its owner or target answers."""
    for number in moving_order(plan):
        partition = state.partitions[number]
        target = plan.wanted[number]
        if partition.phase is Phase.OWNED and partition.owner != target:
            _begin_stop(state, orders, partition, target, now)
        elif partition.phase is Phase.FREE:
            _begin_start(state, orders, partition, plan, now)
        elif now - partition.asked_s >= resend_s:
            _repeat(state, orders, partition, now)


def moving_order(plan: Plan) -> list[int]:
    """All partitions, those first that the plan names first."""
    return list(dict.fromkeys((*plan.order, *range(len(plan.wanted)))))


def _begin_stop(
    state: GroupState, orders: Orders, partition: PartitionState, target: int, now: float
) -> None:
    # Until the target is ready, the partition is better processed where it is.
    is_target_ready = target == NOBODY or state.status(target) is Status.READY
    if is_target_ready and state.status(partition.owner) is Status.READY:
        partition.move = Move(partition.partition, partition.owner, stop_s=now)
        state.set_phase(partition, Phase.STOPPING)
        orders.stop(partition, now)


def _begin_start(
    state: GroupState, orders: Orders, partition: PartitionState, plan: Plan, now: float
) -> None:
    target = plan.wanted[partition.partition]
    if target == NOBODY:
        _rest(state, partition, plan)
    elif state.status(target) is Status.READY:
        move = partition.move or Move(partition.partition)
        partition.owner, partition.epoch = target, partition.epoch + 1
        partition.plan, partition.move = plan.number, move
        move.target, move.epoch = target, partition.epoch
        move.offset, move.start_s = partition.offset, now
        plan.moves.append(move)
        state.touch(plan)
        state.set_phase(partition, Phase.STARTING)
        orders.start(partition, now)


def _rest(state: GroupState, partition: PartitionState, plan: Plan) -> None:
    """Record the move of a partition that stays without an owner."""
    move = partition.move
    if move is not None and move.source != NOBODY:
        move.epoch, move.offset = partition.epoch, partition.offset
        plan.moves.append(move)
        state.touch(plan)
        partition.move = None
        state.set_phase(partition, Phase.FREE)


def _repeat(state: GroupState, orders: Orders, partition: PartitionState, now: float) -> None:
    if state.status(partition.owner) is Status.READY:
        if partition.phase is Phase.STOPPING:
            orders.stop(partition, now)
        elif partition.phase is Phase.STARTING:
            orders.start(partition, now)


def is_settled(state: GroupState) -> bool:
    """Whether all partitions are where the last plan wants them, with consumers at work."""
    plan = state.plan
    return plan is not None and all(
        partition.phase is Phase.FREE
        if target == NOBODY
        else partition.phase is Phase.OWNED
        and partition.owner == target
        and state.status(target) is Status.READY
        for partition, target in zip(state.partitions, plan.wanted, strict=True)
    )


def retire_idle(state: GroupState, orders: Orders, spare: int, now: float) -> None:
    """End idle consumers but the lowest spare ones; all, if the plan wants none."""
    busy = {partition.owner for partition in state.partitions}
    if state.plan is not None and set(state.plan.wanted) == {NOBODY}:
        spare = 0
    idle = [
        member
        for consumer, member in sorted(state.members.items())
        if member.status is Status.READY and consumer not in busy
    ]
    for member in idle[spare:]:
        state.set_status(member, Status.LEAVING)
        member.sign_s = now
        _end(orders, member, now)


def repeat_ends(state: GroupState, orders: Orders, resend_s: float, now: float) -> None:
    """Ask consumers again that are to end and have not said so, and stray processes."""
    for member in state.members.values():
        if member.status is Status.LEAVING and now - member.asked_s >= resend_s:
            _end(orders, member, now)
    # Each sign of life of a stray process adds it again.
    orders.ends += sorted(state.strays)
    state.strays.clear()


def _end(orders: Orders, member: Member, now: float) -> None:
    orders.ends.append((member.consumer, member.incarnation))
    member.asked(now)
