"""The controller: reads events, has the strategy decide, and carries out what the protocol says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from live.controller import progress_rows
from live.controller.group_journal import GroupJournal
from live.controller.group_topics import GroupTopics
from live.controller.invalid_messages import InvalidMessages
from live.controller.launcher_channel import LauncherChannel
from live.controller.live_decisions import (
    Decisions,
    Wanted,
    order_of_moves,
    without_lost,
)
from live.controller.topic_reader import TopicReader
from live.controller.transactions import BrokerSilent
from live.live_settings import CYCLE, LiveSettings
from live.protocol.group_claim import GroupClaim
from live.protocol.group_knowledge import Status
from live.protocol.group_protocol import Actions, GroupProtocol, ProtocolSettings
from live.protocol.messages import Event, Received, kind_of
from live.records.journal import Journal
from live.records.run_clock import RunClock

WAIT_S = 0.01
"""Longest wait for an event in one turn, seconds."""

RESEND_S = 5.0
"""Time without an answer after which a command is sent again, seconds; half a lease if shorter."""

ANSWER_S = 1.0
"""Time in which a broker that answers does so, seconds."""

SLOW_LEASES = 0.125
"""A transaction that takes longer was held up by the broker, in leases."""

REAP_S = 0.5
"""Time for a lost process to be killed before it is fenced all the same, seconds."""


class LaunchFailed(Exception):
    """A consumer did not become ready, however often it was launched."""


class GroupController:
    """Moves partitions between consumers as a strategy wants.

    claim: Of this process on the group, through all of its recoveries.
    Raises Fenced if another controller has taken over: here and from the methods.
    Raises BrokerSilent if the broker does not answer: here and from the methods. Create a
        new controller then: it continues from what this one has committed.
    """

    def __init__(
        self,
        settings: LiveSettings,
        decisions: Decisions,
        launcher: LauncherChannel,
        journal: Journal,
        claim: GroupClaim,
    ) -> None:
        self._settings, self._decisions = settings, decisions
        self._launcher = launcher
        self._journal = GroupJournal(journal, settings.capacity)
        self._clock = RunClock(settings.clock_offset_ns)
        self._topics = GroupTopics(settings)
        state = self._topics.take_over(claim)
        self._group = GroupProtocol.restored(
            ProtocolSettings(
                settings.partitions,
                lease_s=settings.lease_s,
                launch_s=settings.launch_s,
                resend_s=min(RESEND_S, settings.lease_s / 2),
                cycle_s=_cycle_s(settings),
                spare=settings.spare,
                holder=claim.name,
            ),
            self._now(),
            state.items(),
            dict(enumerate(settings.first_offsets)),
        )
        self._events = TopicReader(
            settings.bootstrap,
            settings.topic("event"),
            InvalidMessages(journal, settings.topic("event")).reject,
            settings.security.confluent,
        )
        self._invalid_progress = InvalidMessages(journal, settings.topic("progress"))
        self._wanted = self._resumed()
        self._is_pending = self._is_ending = False
        self._fenced: set[tuple[int, int]] = set()

    @property
    def is_settled(self) -> bool:
        """Whether all partitions are where the strategy wants them."""
        return not self._is_pending and self._group.is_settled

    @property
    def is_empty(self) -> bool:
        """Whether no consumer is left."""
        return all(status is Status.GONE for _, status in self._group.consumers.values())

    def turn(self, began_ns: int) -> None:
        """Act, after waiting a little for events. began_ns: When the run began; 0 if not yet."""
        self._listen(self._wait_s(began_ns))
        # A plan that is complete must count as such before the next one begins.
        self._act(self._due())
        # A plan for the partitions of one that does not start would hide that.
        self._check_launches(self._group.failed)
        self._journal.look()
        if not self._is_ending:
            self._decide(began_ns)
        if self._plan():
            self._act(self._due())

    def end(self) -> None:
        """Have all consumers stop and end, as soon as the present plan is complete."""
        self._is_ending = True
        nobody = (-1,) * self._settings.partitions
        rates = (0.0,) * self._settings.partitions
        self._want(Wanted(nobody, rates, "end", -1, self._clock.now()))

    def close(self) -> None:
        """Let go of the broker."""
        self._events.close()

    def _resumed(self) -> Wanted | None:
        """What an earlier controller has wanted last."""
        plans = [plan for plan in self._group.plans if plan.iteration >= 0]
        if not plans:
            return self._decisions.resume(-1, (), 0)
        last = plans[-1]
        return self._decisions.resume(last.iteration, last.wanted, self._clock.now())

    def _now(self) -> float:
        return self._clock.now() / 1e9

    def _wait_s(self, began_ns: int) -> float:
        """How long to wait for events: no iteration begins meanwhile."""
        if not began_ns:
            return WAIT_S
        span_ns = round(self._settings.iteration_s * 1e9)
        return min(WAIT_S, (began_ns - self._clock.now()) % span_ns / 1e9)

    def _listen(self, wait_s: float) -> None:
        for consumer, incarnation, status in self._launcher.exits():
            if self._group.exited(consumer, incarnation, self._now()):
                self._journal.fault("exited", consumer, incarnation, f"exit status {status}")
        self._take(self._events.arrived(wait_s))
        if self._events.is_silent:
            self._take(self._events.rest(ANSWER_S))

    def _take(self, arrived: Iterable[Received]) -> None:
        """Take in messages of topic `event`, and whether the broker answers."""
        for received in arrived:
            if isinstance(received.message, Event):
                self._group.heard(received.message, self._now())
                self._journal.heard(received.message)
            else:
                self._events.reject(f"{kind_of(received.message)}: not an event")
        if self._events.is_silent:
            self._group.broker_silent(self._now())
        else:
            self._group.broker_answers(self._now())

    def _due(self) -> Actions:
        """What to do now. A lease is over only if the broker has no sign of life either."""
        now = self._now()
        if self._group.is_lease_over(now):
            # A broker that hangs looks like consumers that are silent.
            self._take(self._events.rest(ANSWER_S))
            now = self._now()
        return self._group.due(now)

    def _decide(self, began_ns: int) -> None:
        settled = self._group.owners if self.is_settled else None
        wanted = self._decisions.due(self._clock.now(), began_ns, settled)
        if wanted is not None:
            self._want(wanted)

    def _want(self, wanted: Wanted) -> None:
        self._wanted, self._is_pending = wanted, True

    def _plan(self) -> bool:
        """Begin a plan if there is a reason to; whether one was begun."""
        if self._wanted is None or not self._group.may_plan:
            return False
        orphans = self._group.orphans
        if not orphans and not self._is_pending:
            return False
        ready = [c for c, (_, status) in self._group.consumers.items() if status is Status.READY]
        is_repaired = bool(orphans) and not self._is_ending
        wanted = without_lost(self._wanted, orphans, ready) if is_repaired else self._wanted
        self._is_pending = False
        present = self._group.owners
        if list(wanted.owners) == present and self._group.is_settled:
            self._journal.unchanged(wanted)
            return False
        self._begin(wanted, present)
        return True

    def _begin(self, wanted: Wanted, present: list[int]) -> None:
        order, _ = order_of_moves(present, wanted, self._settings.capacity)
        plan = self._group.plan(
            wanted.owners,
            self._now(),
            order=order,
            reason=wanted.reason,
            iteration=wanted.iteration,
        )
        self._journal.begun(plan, wanted, present)

    def _act(self, actions: Actions) -> None:
        if actions.commands:
            self._journal.handed(len(actions.commands))
        if actions.needs_transaction:
            self._commit(actions)
            self._journal.sent(actions.commands)
        for consumer, incarnation in actions.launches:
            self._launcher.launch(consumer, incarnation)
            self._group.launched(consumer, incarnation, self._now())
        self._check_launches(actions.failed)
        if actions.fences:
            self._fence(actions.fences)

    def _check_launches(self, failed: Sequence[int]) -> None:
        if failed:
            raise LaunchFailed(f"consumer {failed[0]} does not start")

    def _commit(self, actions: Actions) -> None:
        began = self._now()
        self._topics.commit(actions, self._clock.now())
        now = self._now()
        self._group.committed(now)
        if now - began > SLOW_LEASES * self._settings.lease_s:
            self._group.broker_was_slow(now)

    def _fence(self, lost: Sequence[tuple[int, int]]) -> None:
        new = [process for process in lost if process not in self._fenced]
        for consumer, incarnation in new:
            self._journal.fault(
                "lost", consumer, incarnation, "no sign of life or answer, or it has ended"
            )
            self._launcher.kill(consumer, incarnation)
        # Fencing suffices for the partitions: one that cannot be killed must not hold them up.
        self._launcher.have_ended(new, REAP_S)
        for process in new:
            self._topics.fence(process[0])
            self._fenced.add(process)
        progress = self._progress()
        if progress is None:
            return
        for consumer, incarnation in lost:
            self._group.fenced(consumer, incarnation, progress, self._now())
            self._journal.fault(
                "fenced", consumer, incarnation, "its progress can not be written any more"
            )

    def _progress(self) -> dict[int, int] | None:
        """Next offset by partition, from topic `progress` up to its committed end.

        None while an open transaction hides what was committed after it. If its consumer is silent,
        too, it is lost when its lease ends: until then, turns go on.
        """
        try:
            values = self._topics.progress(min(ANSWER_S, self._settings.lease_s / 4)).values()
        except BrokerSilent:
            self._take(self._events.rest(ANSWER_S))
            if self._events.is_silent:
                raise
            return None
        return progress_rows.next_offsets(
            values, self._settings.partitions, self._invalid_progress.reject
        )


def _cycle_s(settings: LiveSettings) -> float:
    """Longest time in which a consumer does not look for commands, seconds."""
    if settings.mode != CYCLE:
        return 0.0
    return settings.wait_s + settings.batch_bytes / settings.consumer_rate
