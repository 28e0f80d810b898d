"""The controller's half of the protocol: who owns which partition, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from live.protocol import group_events, group_steps
from live.protocol.group_actions import Actions, PlanRunning, ProtocolSettings
from live.protocol.group_knowledge import (
    CONTROLLER,
    Member,
    Phase,
    Process,
    Status,
    unused,
)
from live.protocol.group_records import changed_records, restored_state
from live.protocol.lease_clock import LeaseClock
from live.protocol.message_checks import MAX_CONSUMERS
from live.protocol.messages import Event, Start, Stop
from live.protocol.plan_report import NOBODY, Plan

__all__ = ["Actions", "GroupProtocol", "PlanRunning", "ProtocolSettings"]


class GroupProtocol:
    """Moves partitions between consumers as plans ask for, one `due` after the other.

    In each turn, the caller passes all events that it can read to `heard` and ends of processes to
    `exited`, calls `plan` if it wants to, and does what `due` returns: first the transaction, then
    `committed`, launches and fences. A turn should take less than half a lease. Knowledge changes
    with these calls; if a transaction fails, the object must be thrown away and `restored` from
    what topic `state` holds.

    All times are seconds of the caller's clock, which must not go back.

    offsets: Where partitions begin that were never started, by partition; 0 where left out.
    """

    def __init__(
        self, settings: ProtocolSettings, now: float, offsets: Mapping[int, int] | None = None
    ) -> None:
        self.settings = settings
        self._state = unused(settings.partitions, offsets or {})
        self._clock = LeaseClock(settings.lease_s / 2, now)
        self._wrote_s = now
        self._launches: list[Member] = []
        self._uncommitted: Plan | None = None

    @classmethod
    def restored(
        cls,
        settings: ProtocolSettings,
        now: float,
        records: Iterable[tuple[bytes, bytes | None]],
        offsets: Mapping[int, int] | None = None,
    ) -> GroupProtocol:
        """Take over from another controller.

        The next `due` asks all consumers again for what they should own, and goes on with moves
        that were begun.

        records: Topic `state` up to its committed end, in order.
        """
        group = cls(settings, now)
        group._state = restored_state(settings.partitions, records, offsets or {}, now)
        for partition in group._state.partitions:
            if partition.phase is Phase.OWNED:
                partition.phase = Phase.STARTING
        group._launches = group._members(Status.ASKED)
        return group

    @property
    def owners(self) -> list[int]:
        """Acknowledged owner of each partition; `NOBODY` while it moves or its owner is lost."""
        return [
            p.owner
            if p.phase is Phase.OWNED and self._state.status(p.owner) is Status.READY
            else NOBODY
            for p in self._state.partitions
        ]

    @property
    def epochs(self) -> list[int]:
        """Last epoch of each partition; 0 if it never was started."""
        return [partition.epoch for partition in self._state.partitions]

    @property
    def consumers(self) -> dict[int, tuple[int, Status]]:
        """Incarnation and status of each consumer that was ever asked for."""
        return {c: (m.incarnation, m.status) for c, m in self._state.members.items()}

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The last plans, in their order, with times and moves; they are not to be changed."""
        return tuple(self._state.plans.values())

    @property
    def is_settled(self) -> bool:
        """Whether each partition is started where the last plan wants it."""
        return group_steps.is_settled(self._state)

    @property
    def orphans(self) -> list[int]:
        """Partitions that wait for a consumer that was lost, and may be planned elsewhere now."""
        return [
            partition.partition
            for partition in self._state.partitions
            if self._is_lost(self._state.wanted(partition.partition))
        ]

    @property
    def failed(self) -> tuple[int, ...]:
        """Consumers that the last plan wants, and that were launched too often without success."""
        return tuple(m.consumer for m in self._members(Status.GONE) if self._is_failed(m))

    @property
    def may_plan(self) -> bool:
        """Whether `plan` is allowed: the last plan is complete, or there are orphans."""
        return not self._state.plans or self.is_settled or bool(self.orphans)

    def plan(
        self,
        owners: Sequence[int],
        now: float,
        *,
        order: Sequence[int] = (),
        reason: str = "",
        iteration: int = -1,
    ) -> Plan:
        """Begin a plan.

        owners: Consumer of each partition, or `NOBODY`.
        order: Partitions whose moves come first, such as those of overloaded consumers.
        Returns: Its report, which the following calls complete.
        Raises PlanRunning if the last plan is not complete and no consumer that it wants is lost.
        Raises ValueError if there are not as many owners as partitions, or a number is out of
            bounds.
        """
        if not self.may_plan:
            raise PlanRunning("the last plan is not complete")
        _check_plan(owners, order, self.settings.partitions)
        number = 1 + max(self._state.plans, default=0)
        plan = Plan(number, tuple(owners), now, reason, iteration, tuple(order))
        self._state.begin(plan)
        self._launch(now)
        return plan

    def heard(self, event: Event, now: float) -> bool:
        """Take an event; False if it does not count, since its consumer is gone or lost."""
        return group_events.hear(self._state, event, now)

    def exited(self, consumer: int, incarnation: int, now: float) -> bool:
        """Take note that a process has ended; False if that was known or expected."""
        member = self._state.members.get(consumer)
        if member is None or member.incarnation != incarnation:
            return False
        if member.status in (Status.LOST, Status.GONE):
            return False
        was_leaving = member.status is Status.LEAVING
        group_events.ended(self._state, member)
        return not was_leaving

    def fenced(
        self, consumer: int, incarnation: int, progress: Mapping[int, int], now: float
    ) -> bool:
        """Release the partitions of a lost process.

        consumer, incarnation: As in `Actions.fences`.
        progress: Next offset by partition, from topic `progress`, read after all lost processes
            were fenced, up to the end that the log had then (its high watermark). The last stable
            offset is not enough: while another consumer has a transaction open, it hides what the
            lost one has committed behind it, and progress would go back.
        Returns: False if the process was not lost.
        """
        member = self._state.members.get(consumer)
        if member is None or member.incarnation != incarnation or member.status is not Status.LOST:
            return False
        group_events.fence(self._state, member, progress, now)
        return True

    def launched(self, consumer: int, incarnation: int, now: float) -> None:
        """Note that the launcher was asked for a process, for the plan's report."""
        entry = self._state.launch_of(consumer, incarnation)
        if entry is not None and entry[1].asked_s is None:
            # Not a change that needs a transaction of its own: `hello` is one.
            entry[1].asked_s = now

    def broker_silent(self, now: float) -> None:
        """Stop all leases: the broker does not answer."""
        self._clock.broker_silent(now)

    def broker_answers(self, now: float) -> None:
        """Let all leases begin again, if the broker was silent."""
        self._clock.broker_answers(now)

    def broker_was_slow(self, now: float) -> None:
        """Give what consumers have sent time to arrive: the broker has taken long to answer."""
        self._clock.broker_was_slow(now)

    def is_lease_over(self, now: float) -> bool:
        """Whether `lost_consumers` would find a consumer whose lease has run out."""
        self._clock.look(now)
        return bool(self._expired(now))

    def lost_consumers(self, now: float) -> list[Process]:
        """Lost processes that are not fenced yet; those whose lease has run out are from now on.

        All events that can be read must have been passed to `heard` before.
        """
        self._clock.look(now)
        for member in self._expired(now):
            group_events.lose(self._state, member)
        return [(m.consumer, m.incarnation) for m in self._members(Status.LOST)]

    def due(self, now: float) -> Actions:
        """Decide what to do now; what is returned counts as done."""
        fences = self.lost_consumers(now)
        self._launch(now)
        orders = group_steps.Orders()
        plan = self._state.plan
        if plan is not None:
            group_steps.advance(self._state, orders, plan, self.settings.resend_s, now)
            if group_steps.is_settled(self._state):
                self._complete(plan, now)
                group_steps.retire_idle(self._state, orders, self.settings.spare, now)
        group_steps.repeat_ends(self._state, orders, self.settings.resend_s, now)
        commands = orders.messages(self._state)
        if any(isinstance(command, Stop | Start) for _, command in commands):
            self._uncommitted = plan
        self._probe(bool(commands), now)
        launches, self._launches = self._launches, []
        return Actions(
            commands,
            changed_records(self._state),
            tuple((m.consumer, m.incarnation) for m in launches),
            tuple(fences),
            self.failed,
        )

    def committed(self, now: float) -> None:
        """Note that the transaction of the last `due` is committed, for the plan's report."""
        plan, self._uncommitted = self._uncommitted, None
        if plan is not None and plan.first_command_s is None:
            plan.first_command_s = now

    def _launch(self, now: float) -> None:
        self._launches += group_steps.launch_missing(self._state, self.settings.tries, now)

    def _probe(self, has_commands: bool, now: float) -> None:
        """Have a transaction twice a lease, and the first one say who controls the group.

        A controller learns from a transaction whether it is fenced.
        """
        state, holder = self._state, self.settings.holder
        is_first = state.holder != holder and (has_commands or bool(state.changed))
        if is_first or now - self._wrote_s >= self.settings.lease_s / 2:
            state.holder = holder
            state.changed[CONTROLLER] = None
        if has_commands or state.changed:
            self._wrote_s = now

    def _complete(self, plan: Plan, now: float) -> None:
        if plan.completed_s is None:
            plan.completed_s = now
            self._state.touch(plan)

    def _expired(self, now: float) -> list[Member]:
        unanswered, more_s = self._state.unanswered(), self.settings.cycle_s
        return [
            member
            for consumer, member in self._state.members.items()
            if self._clock.age(member.sign_s, now) > self._lease(member)
            or self._clock.age(unanswered[consumer], now) > self._lease(member) + more_s
        ]

    def _members(self, status: Status) -> list[Member]:
        return [m for _, m in sorted(self._state.members.items()) if m.status is status]

    def _lease(self, member: Member) -> float:
        if member.status in (Status.READY, Status.LEAVING):
            return self.settings.lease_s
        return self.settings.launch_s if member.status is Status.ASKED else float("inf")

    def _is_lost(self, consumer: int) -> bool:
        # One that was lost before it was ready is launched again first.
        member = self._state.members.get(consumer)
        is_down = member is not None and member.status in (Status.LOST, Status.GONE)
        return member is not None and is_down and member.tries in (0, self.settings.tries)

    def _is_failed(self, member: Member) -> bool:
        plan = self._state.plan
        is_wanted = plan is not None and member.consumer in plan.wanted
        return is_wanted and member.tries >= self.settings.tries


def _check_plan(owners: Sequence[int], order: Sequence[int], partitions: int) -> None:
    if len(owners) != partitions:
        raise ValueError(f"a plan needs {partitions} owners (got {len(owners)})")
    if not all(NOBODY <= consumer < MAX_CONSUMERS for consumer in owners):
        raise ValueError(f"consumers must be between 0 and {MAX_CONSUMERS - 1} (got {owners})")
    if not all(0 <= partition < partitions for partition in order):
        raise ValueError(f"`order` must list partitions below {partitions} (got {order})")
