"""A member of one of Kafka's own groups, with the service of the controller's consumers."""

from __future__ import annotations

import os
import time
from pathlib import Path

from live.consumer.consumer import BREATH_S, GONE, LEAVING, READY, SLICE_S
from live.consumer.rated_service import BatchService, RatedService
from live.consumer.record_queues import ConsumedRecord
from live.groups.group_reader import GroupReader
from live.groups.member_settings import member_settings
from live.live_settings import CYCLE, FIXED_FIRST, LiveSettings
from live.records import fetch_sizes
from live.records.evidence_file import EvidenceWriter
from live.records.journal import Journal
from live.records.run_clock import RunClock


def journal_file(settings: LiveSettings, slot: int, incarnation: int) -> Path:
    """File in which a member notes its assignments."""
    return Path(settings.folder) / "journal" / f"c{slot}-{incarnation}.jsonl"


class GroupConsumer:
    """Subscribes to the data topic and processes what Kafka assigns to it.

    The epoch of a partition's tenure, in evidence, is the time of its assignment in milliseconds
    since the group began: all processes share the run's clock, and a partition is assigned only
    after its last owner has given it up, so epochs grow from each owner to the next.

    slot, incarnation: Number of the member, and of this process in its slot, from 1.
    protocol: ``classic`` or ``848``.
    since_ns: When the group began, nanoseconds of the run's clock.
    Raises FileExistsError if the incarnation has evidence already.
    """

    def __init__(
        self, settings: LiveSettings, slot: int, incarnation: int, protocol: str, since_ns: int
    ) -> None:
        self._settings, self._since_ns = settings, since_ns
        self._clock = RunClock(settings.clock_offset_ns)
        file = journal_file(settings, slot, incarnation)
        file.parent.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(file, self._clock.now)
        self._evidence = EvidenceWriter(settings.evidence(slot, incarnation))
        self._process = self._service()
        self._reader = GroupReader(
            member_settings(settings, slot, protocol),
            settings.topic("data"),
            self._clock.now,
            self._note,
            self._epoch,
            self._journal.write,
            int(settings.iteration_s * 1e9) if settings.order == FIXED_FIRST else None,
            fetch_sizes.queue_bytes(settings),
        )
        self._is_stop_asked = False
        self._committed = time.monotonic()

    def run(self) -> None:
        """Work until `stop` is called; then commit and leave the group.

        Raises Unusable after a fatal error of the client.
        Raises Refused if the records to read are not stored any more.
        """
        with self._journal:
            try:
                self._reader.subscribe()
                self._enter(READY)
                while not self._is_stop_asked:
                    self._work()
                    self._commit_if_due()
                self._enter(LEAVING)
                self._reader.close()
                self._enter(GONE)
            finally:
                self._evidence.close()

    def stop(self) -> None:
        """Ask `run` to leave the group and return; may be called by a handler of a signal."""
        self._is_stop_asked = True

    def _service(self) -> RatedService:
        settings = self._settings
        if settings.mode == CYCLE:
            rate, now = settings.consumer_rate, self._clock.now
            return BatchService(rate, self._evidence, self._rest, now)
        return RatedService(settings.consumer_rate, self._evidence, self._rest)

    def _rest(self, until_ns: int) -> None:
        time.sleep(max(until_ns - self._clock.now(), 0) / 1e9)

    def _epoch(self) -> int:
        return 1 + (self._clock.now() - self._since_ns) // 1_000_000

    def _work(self) -> None:
        """Process what is there: one slice, or one batch."""
        settings = self._settings
        if settings.mode == CYCLE:
            taken = self._gather()
        else:
            slice_bytes = max(int(settings.consumer_rate * SLICE_S), 1)
            taken = self._reader.take(slice_bytes, SLICE_S)
        records = self._reader.owned(taken)
        if records:
            self._process(records)
            self._reader.done(records)

    def _gather(self) -> list[ConsumedRecord]:
        """Records of one batch."""
        records: list[ConsumedRecord] = []
        left_bytes = self._settings.batch_bytes
        end = time.monotonic() + self._settings.wait_s
        while left_bytes > 0 and (left_s := end - time.monotonic()) > 0 and not self._is_stop_asked:
            more = self._reader.take(left_bytes, min(left_s, BREATH_S))
            left_bytes -= sum(record.size for record in more)
            records += more
        return records

    def _commit_if_due(self) -> None:
        now = time.monotonic()
        if now - self._committed >= self._settings.progress_s:
            self._committed = now
            self._reader.commit()

    def _enter(self, state: str) -> None:
        self._journal.write("state", state=state, pid=os.getpid())

    def _note(self, text: str) -> None:
        self._journal.write("noted", text=text)
