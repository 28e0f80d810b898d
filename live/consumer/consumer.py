"""A consumer of the group: owns the partitions that the controller has started on it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from live.consumer import consumer_connections
from live.consumer.client_errors import Fenced, Unusable
from live.consumer.consumer_connections import Connections
from live.consumer.loop_watchdog import LoopWatchdog
from live.consumer.rated_service import BatchService, RatedService
from live.consumer.record_queues import ConsumedRecord
from live.live_settings import CYCLE, LiveSettings
from live.protocol.consumer_duty import ConsumerDuty
from live.protocol.messages import Bye, Command, Hello, PartitionOffset, Stop, kind_of
from live.records.evidence_file import EvidenceWriter
from live.records.journal import Journal
from live.records.run_clock import RunClock

SLICE_S = 0.02
"""Work between two looks for commands in mode `prompt`, and longest wait for records, seconds."""

BREATH_S = 0.1
"""Longest sleep without a turn of the loop, seconds."""

BEAT_S = 1.0
"""Time between beats, seconds."""

LAST_TRIES = 3
"""Attempts to write progress while stopping."""

STARTING, READY, LEAVING, GONE, FENCED = "starting", "ready", "leaving", "gone", "fenced"

Process = Callable[[Sequence[ConsumedRecord]], None]


class _StopAsked(BaseException):
    """`Consumer.stop` was called; not an `Exception`, which a process function may catch."""


class Consumer:
    """Follows the controller's commands and processes the records of the partitions it owns.

    Records are passed to ``process`` in lists of at most 20 ms of C̄ (mode ``prompt``) or of
    ``batch_bytes`` (mode ``cycle``). When it returns, they count as processed. A record may come
    again, from another consumer, if this one is lost before its progress is written. A process
    function that takes longer than half a lease must call `turn` now and then: otherwise the
    consumer counts as lost, and after a lease the watchdog ends the process. One that takes longer
    than a lease may count as lost all the same, since commands are answered between two calls.

    A program with a process function of its own consists of a call of
    `live.consumer.consumer_process.serve`.

    slot: Number of the consumer: its partition of topic `command`.
    incarnation: Number of this process in its slot, from 1.
    process: What to do with records. Default: take the time that C̄ allows, and keep evidence in
        the run's folder.
    properties: Further settings of the Kafka clients, such as ``sasl.username``.
    connections: Clients to use instead of new ones, for tests.
    state: ``starting``, ``ready``, ``leaving``, ``gone`` or ``fenced``.
    Raises FileExistsError if the incarnation has evidence already.
    """

    def __init__(
        self,
        settings: LiveSettings,
        slot: int,
        incarnation: int,
        process: Process | None = None,
        *,
        properties: Mapping[str, str] | None = None,
        connections: Connections | None = None,
    ) -> None:
        self._settings, self._slot = settings, slot
        self._clock = RunClock(settings.clock_offset_ns)
        self._began_ns = self._clock.now()
        self._duty = ConsumerDuty(slot, incarnation)
        self._journal = Journal(_journal_file(settings, slot, incarnation), self._clock.now)
        self._evidence: EvidenceWriter | None = None
        self._process = process or self._service(settings.evidence(slot, incarnation))
        self._to = connections or consumer_connections.connect(
            settings, slot, self._clock.now, self._note, properties
        )
        self._watchdog = LoopWatchdog(settings.lease_s)
        self._is_stop_asked = False
        now = time.monotonic()
        self._turned = self._beaten = self._wrote = now
        self.state = STARTING
        self.processed = 0

    def run(self) -> None:
        """Work until the controller ends this consumer, or `stop` is called.

        Raises Fenced if another process has taken over.
        Raises Unusable after a fatal error of a client.
        Raises Refused if the records to read are not stored any more.
        """
        self._watchdog.start()
        self._turned = time.monotonic()
        with self._journal:
            try:
                self._loop()
            except (Fenced, Unusable) as error:
                self._enter(FENCED, reason=str(error))
                raise
            finally:
                self._watchdog.stop()
                if self._evidence is not None:
                    self._evidence.close()

    def stop(self) -> None:
        """Ask `run` to write progress and return; may be called by a handler of a signal."""
        self._is_stop_asked = True

    def turn(self) -> None:
        """Show that this consumer is alive; a long `process` calls it at least every half lease.

        Raises Fenced if it stood still, and another process has taken over meanwhile: what is being
            processed is not this consumer's any more.
        """
        stood_s = self._stood_s()
        self._breathe()
        # It may stand still as it writes, too. As long as a transaction takes more than half a
        # lease, nothing is processed.
        while self.state == READY and self._is_long(stood_s):
            self._journal.write("stood_still", seconds=stood_s)
            self._write(self._to.data.progress())
            stood_s = self._stood_s()
        self._beat_if_due()

    def rest(self, until_ns: int) -> None:
        """Wait until a time of the run's clock, at least one turn. Raises Fenced as `turn`."""
        self.turn()
        # It may have stood still within the last turn, too.
        while (left_s := (until_ns - self._clock.now()) / 1e9) > 0 or self._is_long(
            self._stood_s()
        ):
            time.sleep(min(max(left_s, 0.0), BREATH_S))
            self.turn()

    def _stood_s(self) -> float:
        """Time since the last turn or proof that this consumer is not fenced, seconds."""
        return time.monotonic() - self._turned

    def _is_long(self, stood_s: float) -> bool:
        return stood_s > self._settings.lease_s / 2

    def _service(self, file: Path) -> RatedService:
        settings = self._settings
        self._evidence = EvidenceWriter(file)
        if settings.mode == CYCLE:
            rate, now = settings.consumer_rate, self._clock.now
            return BatchService(rate, self._evidence, self.rest, now)
        return RatedService(settings.consumer_rate, self._evidence, self.rest)

    def _loop(self) -> None:
        try:
            self._get_ready()
            while self.state == READY:
                self.turn()
                self._obey(self._to.commands.take())
                if self.state == READY:
                    self._work()
                    self._write_if_due()
        except _StopAsked:
            self._leave_when_asked()

    def _get_ready(self) -> None:
        """Fence earlier incarnations, read all commands so far, and say hello."""
        while not self._to.progress.get_ready():
            self.turn()
        while not self._to.data.get_ready(consumer_connections.call_s(self._settings)):
            self.turn()
        early: list[Command] = []
        while not self._to.commands.is_caught_up:
            early += self._to.commands.take(BREATH_S)
            self.turn()
        self._enter(READY)
        self._to.events.send(Hello(self._slot, self._duty.incarnation, os.getpid(), self._began_ns))
        self._obey(early)

    def _obey(self, commands: Iterable[Command]) -> None:
        for command in commands:
            task = self._duty.apply(command)
            if task.skipped:
                continue
            left = self._to.data.unassign(task.unassign)
            if left and (isinstance(command, Stop) or task.ends):
                self._write([*self._to.data.unwritten(), *left])
            self._to.data.assign(task.assign)
            self._journal.write(
                "obeyed",
                kind=kind_of(command),
                plan=getattr(command, "plan", None),
                left=left,
                begun=task.assign,
            )
            if task.ends:
                self._leave()
                return
            answer = self._duty.answer(task, {row.partition: row.offset for row in left})
            if answer is not None:
                self._to.events.send(answer)

    def _work(self) -> None:
        """Process what is there: one slice, or one batch."""
        settings = self._settings
        if settings.mode == CYCLE:
            records = self._gather()
        else:
            slice_bytes = max(int(settings.consumer_rate * SLICE_S), 1)
            records = self._to.data.take(slice_bytes, SLICE_S)
        if not records:
            return
        self.turn()
        self._process(records)
        self._to.data.done(records)
        self.processed += len(records)

    def _gather(self) -> list[ConsumedRecord]:
        """Records of one batch."""
        records: list[ConsumedRecord] = []
        left_bytes = self._settings.batch_bytes
        end = time.monotonic() + self._settings.wait_s
        while left_bytes > 0 and (left_s := end - time.monotonic()) > 0:
            more = self._to.data.take(left_bytes, min(left_s, BREATH_S))
            left_bytes -= sum(record.size for record in more)
            records += more
            self.turn()
        return records

    def _write_if_due(self) -> None:
        """Write progress regularly; without any, prove once a lease that it is not fenced."""
        passed_s = time.monotonic() - self._wrote
        if passed_s < self._settings.progress_s:
            return
        rows = self._to.data.unwritten()
        if rows or passed_s > self._settings.lease_s:
            self._write(rows)

    def _write(self, rows: Sequence[PartitionOffset]) -> None:
        """Write progress, as often as it takes; nothing is processed meanwhile.

        That it is written proves that this consumer was not fenced when the first call began. It
        may be since, if the process stood still with the answer on its way: that shows as no turn.
        """
        began = time.monotonic()
        while not self._to.progress.write(rows):
            self._journal.write("progress_waits")
            self._breathe()
            self._beat_if_due()
        self._to.data.written(rows)
        self._wrote, self._turned = time.monotonic(), began

    def _breathe(self) -> None:
        """Tell the watchdog that the loop is at work."""
        self._watchdog.turn()
        if self._is_stop_asked:
            raise _StopAsked
        self._turned = time.monotonic()

    def _beat_if_due(self) -> None:
        if self.state == READY and self._turned - self._beaten >= BEAT_S:
            self._beaten = self._turned
            self._to.events.send(self._duty.beat(self.processed))

    def _leave(self) -> None:
        """Say goodbye; progress is written."""
        self._enter(LEAVING)
        self._to.events.send(Bye(self._slot, self._duty.incarnation))
        self._to.events.flush(consumer_connections.call_s(self._settings))
        self._enter(GONE)

    def _leave_when_asked(self) -> None:
        """Write progress if the brokers answer, then leave."""
        if self.state == STARTING:
            self._enter(GONE, reason="stopped before it was ready")
            return
        rows = self._to.data.unwritten()
        for _ in range(LAST_TRIES):
            self._watchdog.turn()
            if self._to.progress.write(rows):
                self._leave()
                return
        self._enter(GONE, reason="stopped without progress")

    def _enter(self, state: str, **fields: object) -> None:
        self.state = state
        self._journal.write("state", state=state, pid=os.getpid(), **fields)

    def _note(self, text: str) -> None:
        self._journal.write("noted", text=text)


def _journal_file(settings: LiveSettings, slot: int, incarnation: int) -> Path:
    folder = Path(settings.folder) / "journal"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"c{slot}-{incarnation}.jsonl"
