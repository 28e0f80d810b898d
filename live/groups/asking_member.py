"""A member of a group that asks, with the service of the controller's consumers."""

from __future__ import annotations

import os
import time
from pathlib import Path

from live.consumer.consumer import GONE, LEAVING, READY
from live.consumer.rated_service import RatedService
from live.groups import asking_lines
from live.groups.asking_assignor import AskingAssignor
from live.groups.asking_reader import AskingReader
from live.groups.group_consumer import journal_file
from live.groups.rejoin_link import RejoinLink
from live.groups.standstill import Standstill
from live.live_settings import LiveSettings
from live.records.evidence_file import EvidenceWriter
from live.records.journal import Journal
from live.records.run_clock import RunClock

POLL_S = 0.05
"""Longest wait for records, seconds; then it looks whether it is to join again, or to end."""


class AskingMember:
    """Processes batch after batch at C̄, and commits after each.

    In an outage it finishes its batch, and takes no other one before the outage ends.

    Epochs of tenures are as those of `live.groups.group_consumer.GroupConsumer`.

    slot, incarnation: Number of the member, and of this process in its slot, from 1.
    since_ns: When the group began, nanoseconds of the run's clock.
    Raises FileExistsError if the incarnation has evidence already.
    """

    def __init__(self, settings: LiveSettings, slot: int, incarnation: int, since_ns: int) -> None:
        self._since_ns = since_ns
        self._clock = RunClock(settings.clock_offset_ns)
        file = journal_file(settings, slot, incarnation)
        file.parent.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(file, self._clock.now)
        self._evidence = EvidenceWriter(settings.evidence(slot, incarnation))
        self._process = RatedService(settings.consumer_rate, self._evidence, self._rest)
        assignor = AskingAssignor(settings, slot, incarnation, self._journal.write)
        self._reader = AskingReader(
            settings, slot, assignor, self._clock.now, self._epoch, self._journal.write
        )
        folder = Path(settings.folder)
        self._standstill = Standstill(folder, bool(settings.group_events))
        self._link = RejoinLink(asking_lines.port_file(folder), slot, incarnation)
        self._is_stop_asked = False

    def run(self) -> None:
        """Work until `stop` is called; then leave the group."""
        with self._journal:
            try:
                self._reader.subscribe()
                self._enter(READY)
                while not self._is_stop_asked:
                    self._work()
                self._enter(LEAVING)
                self._reader.close()
                self._enter(GONE)
            finally:
                self._link.close()
                self._evidence.close()

    def stop(self) -> None:
        """Ask `run` to end; may be called by a handler of a signal."""
        self._is_stop_asked = True

    def _work(self) -> None:
        if self._link.is_asked():
            self._reader.rejoin()
        self._reader.stand_still(self._standstill.holds(self._clock.now()))
        records = self._reader.take(POLL_S)
        if records:
            self._process(records)
        self._reader.commit(records)

    def _rest(self, until_ns: int) -> None:
        time.sleep(max(until_ns - self._clock.now(), 0) / 1e9)

    def _epoch(self) -> int:
        return 1 + (self._clock.now() - self._since_ns) // 1_000_000

    def _enter(self, state: str) -> None:
        self._journal.write("state", state=state, pid=os.getpid())
