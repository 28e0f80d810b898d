"""The run's side of one of Kafka's own groups: starts and ends its members."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from live.groups.group_consumer import journal_file
from live.groups.group_lag import GroupLag
from live.groups.group_members import Assignments, JournalTail, Member
from live.groups.lag_counts import GroupView, LagCounts, MemberCounts
from live.groups.member_settings import group_id
from live.live_settings import LiveSettings
from live.processes.child_processes import Child
from live.processes.local_launcher import LocalLauncher
from live.records.journal import Journal
from live.records.run_clock import RunClock
from live.strategy_kinds import AskingGroup, DeployedGroup, FixedGroup, KedaGroup
from pipeline.base.errors import StageError

MEMBER = "live.groups.group_consumer_process"

MOST_STARTS = 3
"""Starts of a member without an assignment after which the run fails."""

DRAINED_S = 0.2
"""Time between two looks whether everything is committed, seconds."""

_CHANGES = ("assigned", "revoked", "lost")
_NOTED = ("commit_failed", "skipped", "asked")


class GroupFailed(StageError):
    """A member does not start."""


class OwnGroup:
    """Members of a group that Kafka balances; as many as their kind says, or what sizes them.

    counts: Makes what says how many members the group has, unless its kind alone does.

    It writes ``controller.jsonl`` with these entries:

    - ``scale``: members change; their number ``before`` and ``after``, slots that are ``started``,
      ``lag`` (null at the beginning and at the end of the run).
    - ``lag``: a poll of KEDA; ``lag``, ``wanted`` by its formula, ``members`` after the hold.
    - ``member``: a rebalance; ``kind`` (assigned, revoked, lost, commit_failed, skipped or asked),
      ``consumer``, ``incarnation``, ``noted_ns``, ``partitions``, and what the reader reports.
    - ``fault``: as the controller has it.
    - of a deployed group, also those of `live.groups.synced_counts.SyncedCounts`, of one that asks
      those of `live.asking.asking_group.AskingCounts`.

    is_ready: Whether the first members have shared out all partitions evenly.
    """

    def __init__(
        self,
        settings: LiveSettings,
        kind: FixedGroup | KedaGroup | DeployedGroup | AskingGroup,
        launcher: LocalLauncher,
        counts: Callable[[GroupView], MemberCounts] | None = None,
    ) -> None:
        self._settings, self._launcher = settings, launcher
        self._clock = RunClock(settings.clock_offset_ns)
        self._journal = Journal(Path(settings.folder) / "controller.jsonl", self._clock.now)
        self._lag = GroupLag(
            settings.bootstrap,
            group_id(settings),
            settings.topic("data"),
            settings.partitions,
            settings.security.confluent,
        )
        self._members: dict[int, int] = {}
        self._incarnations: dict[int, int] = {}
        self._starts: dict[int, int] = {}
        self._tails: dict[Member, JournalTail] = {}
        self._assignments = Assignments(settings.partitions)
        self._counts: MemberCounts | None = None
        if counts is not None:
            self._counts = counts(GroupView(self._journal, self._lag, self._assignments))
        elif isinstance(kind, KedaGroup):
            self._counts = LagCounts(settings, self._lag, self._journal, self._clock.now())
        self._drained = (0.0, False)
        self._is_over = self.is_ready = False
        first = 1 if self._counts is None else self._counts.first
        self._scale(kind.members if isinstance(kind, FixedGroup) else first)

    @property
    def children(self) -> Sequence[Child]:
        """Processes to end besides the launcher's: the scaler of a deployed group."""
        return () if self._counts is None else self._counts.children

    @property
    def status(self) -> int | None:
        """0 when the run is over and all members have ended; None before."""
        return 0 if self._is_over and not self._tails else None

    def begin(self, began_ns: int) -> None:
        """Tell when the run begins: KEDA decides from then on."""
        if self._counts is not None:
            self._counts.begin(began_ns)

    def finish(self) -> None:
        """Have all members leave the group and end."""
        self._is_over = True
        self._scale(0)

    def turn(self, wait_s: float) -> None:
        """Look after the members, then wait. Raises GroupFailed if one often ends early."""
        time.sleep(wait_s)
        for member, tail in self._tails.items():
            self._follow(member, tail)
        for slot, incarnation, status in self._launcher.ended():
            self._ended((slot, incarnation), status)
        self.is_ready = self.is_ready or self._has_begun()
        if self._counts is None or self._is_over:
            return
        wish = self._counts.due(self._clock.now(), len(self._members))
        if wish is not None and wish.killed is not None:
            self._end(wish.killed, signal.SIGKILL)
        if wish is not None:
            self._scale(wish.members, wish.lag, wish.slots)

    def _has_begun(self) -> bool:
        if self._counts is not None and (self._counts.places or not self._counts.is_ready):
            return self._counts.is_ready
        return self._assignments.are_even(self._members.items())

    def has_caught_up(self, counted: bool) -> bool:
        """Whether the group has committed all records that there are, whatever evidence counts.

        So a record that was committed and not processed is lost, and not one that is late.
        """
        looked, is_drained = self._drained
        if not is_drained and time.monotonic() - looked >= DRAINED_S:
            is_drained = self._lag.read() == 0
            self._drained = time.monotonic(), is_drained
        return is_drained

    def close(self) -> None:
        """Delete the group, whose members have ended, and close the journal."""
        if self._counts is not None:
            self._counts.close()
        self._lag.delete_group()
        self._journal.close()

    def _scale(
        self, members: int, lag: int | None = None, slots: frozenset[int] | None = None
    ) -> None:
        """Start and end members. slots: Those that there are then; None: the lowest ones."""
        before, after = set(self._members), slots or set(range(members))
        if after == before:
            return
        started = sorted(after - before)
        self._journal.write("scale", before=len(before), after=members, lag=lag, started=started)
        for slot in started:
            self._start(slot)
        for slot in sorted(before - after, reverse=True):
            self._end(slot)

    def _start(self, slot: int) -> None:
        incarnation = self._incarnations.get(slot, 0) + 1
        self._incarnations[slot] = self._members[slot] = incarnation
        self._starts[slot] = self._starts.get(slot, 0) + 1
        file = journal_file(self._settings, slot, incarnation)
        self._tails[slot, incarnation] = JournalTail(file)
        self._launcher.launch(slot, incarnation)

    def _end(self, slot: int, number: signal.Signals = signal.SIGTERM) -> None:
        incarnation = self._members.pop(slot)
        self._starts[slot] = 0
        with suppress(KeyError):  # It has ended by itself.
            self._launcher.send(slot, incarnation, number)

    def _ended(self, member: Member, status: int) -> None:
        slot, incarnation = member
        self._follow(member, self._tails.pop(member))
        self._assignments.remove(member)
        is_expected = self._members.get(slot) != incarnation
        # SIGTERM may come before the process can handle it.
        if is_expected and status in (0, -signal.SIGTERM):
            return
        message = f"exit status {status}"
        self._journal.write(
            "fault", kind="exited", consumer=slot, incarnation=incarnation, message=message
        )
        if is_expected:
            return
        if self._starts[slot] >= MOST_STARTS:
            log = Path(self._settings.folder) / "logs" / f"c{slot}-{incarnation}.log"
            raise GroupFailed(
                f"member {slot} has ended {MOST_STARTS} times: {message} (log: {log})"
            )
        self._start(slot)

    def _follow(self, member: Member, tail: JournalTail) -> None:
        for entry in tail.entries():
            what, at_ns = entry.pop("what"), entry.pop("at_ns")
            if what in _CHANGES:
                self._assignments.apply(member, {"what": what, **entry})
            if what == "assigned":
                self._starts[member[0]] = 0
            if what in (*_CHANGES, *_NOTED):
                fields = {"consumer": member[0], "incarnation": member[1], "noted_ns": at_ns}
                self._journal.write("member", kind=what, **fields, **entry)
