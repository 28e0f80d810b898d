"""What the controller learns from consumers, and from the end of their processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from live.protocol.group_knowledge import GroupState, Member, Phase, Status
from live.protocol.messages import Beat, Bye, Event, Hello, Started, Stopped


def hear(state: GroupState, event: Event, now: float) -> bool:
    """Take an event from a consumer.

    Returns: Whether it counts. It does not if it comes from an earlier process of the slot, or from
        one that is lost: that one is or will be fenced, and its progress decides.
    """
    member = state.members.get(event.consumer)
    if member is None or event.incarnation > member.incarnation:
        return False
    if event.incarnation < member.incarnation or member.status is Status.GONE:
        if isinstance(event, Beat):
            state.strays.add((event.consumer, event.incarnation))
        return False
    if member.status is Status.LOST:
        return False
    member.sign_s = max(member.sign_s, now)
    if member.status is Status.ASKED and not isinstance(event, Bye):
        _ready(state, member, now)
    _EFFECTS[type(event)](state, event, now)
    return True


def _ready(state: GroupState, member: Member, now: float) -> None:
    # Any event is proof: a controller that died may have read `hello`.
    member.tries = 0
    state.set_status(member, Status.READY)
    entry = state.launch_of(member.consumer, member.incarnation)
    if entry is not None:
        plan, launch = entry
        launch.ready_s = now
        state.touch(plan)


def _hello(state: GroupState, event: Hello, now: float) -> None:
    """Nothing beyond what any event means."""


def _stopped(state: GroupState, event: Stopped, now: float) -> None:
    for row in event.partitions:
        if row.partition < len(state.partitions):
            partition = state.partitions[row.partition]
            tenure = (partition.phase, partition.owner, partition.epoch)
            if tenure == (Phase.STOPPING, event.consumer, row.epoch):
                state.free(partition, row.offset, now)


def _started(state: GroupState, event: Started, now: float) -> None:
    for row in event.partitions:
        if row.partition < len(state.partitions):
            partition = state.partitions[row.partition]
            tenure = (partition.phase, partition.owner, partition.epoch)
            if tenure == (Phase.STARTING, event.consumer, row.epoch):
                state.started(partition, now)


def _beat(state: GroupState, event: Beat, now: float) -> None:
    for partition in state.owned_by(event.consumer):
        is_known = event.owned.get(partition.partition) == partition.epoch
        if partition.phase is Phase.OWNED and not is_known:
            # Old news at worst: a repeated command to start changes nothing.
            partition.phase = Phase.STARTING


def _bye(state: GroupState, event: Bye, now: float) -> None:
    ended(state, state.members[event.consumer])


_EFFECTS: dict[type[Event], Callable[[GroupState, Any, float], None]] = {
    Hello: _hello,
    Stopped: _stopped,
    Started: _started,
    Beat: _beat,
    Bye: _bye,
}


def ended(state: GroupState, member: Member) -> None:
    """Take note that a process has ended, or will not process anything any more."""
    if member.status is Status.LEAVING and not state.owned_by(member.consumer):
        state.set_status(member, Status.GONE)
    elif member.status not in (Status.LOST, Status.GONE):
        lose(state, member)


def lose(state: GroupState, member: Member) -> None:
    """Declare a consumer lost: from now on only fencing it releases its partitions."""
    if member.status is Status.ASKED:
        member.tries += 1
    state.set_status(member, Status.LOST)


def fence(state: GroupState, member: Member, progress: Mapping[int, int], now: float) -> None:
    """Release the partitions of a lost consumer that cannot write progress any more."""
    for partition in state.owned_by(member.consumer):
        state.free(partition, progress.get(partition.partition, 0), now)
    state.set_status(member, Status.GONE)
