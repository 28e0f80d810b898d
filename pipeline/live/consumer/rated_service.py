"""What a consumer does with records by default: take as long as they would, and keep evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pipeline.live.consumer.record_queues import ConsumedRecord
from pipeline.live.consumer.service_clock import ServiceClock
from pipeline.live.records.evidence_file import EvidenceWriter
from pipeline.live.records.record_format import InvalidRecord, parse


class _Served(NamedTuple):
    """A record, and when it was read and done, nanoseconds of the run's clock."""

    record: ConsumedRecord
    read_ns: int
    done_ns: int


class RatedService:
    """Processes records at C̄, each as soon as the one before is finished.

    Parameters
    ----------
    rate
        C̄, bytes/s.
    evidence
        File of the processed records.
    rest
        Waits until a time of the run's clock, nanoseconds, while the consumer stays alive.

    Attributes
    ----------
    invalid
        Records that are not of the live run's format; there is no evidence of them.
    """

    def __init__(self, rate: float, evidence: EvidenceWriter, rest: Callable[[int], None]) -> None:
        self._clock = ServiceClock(rate)
        self._evidence, self._rest = evidence, rest
        self.invalid = 0

    def __call__(self, records: Sequence[ConsumedRecord]) -> None:
        """Process records; returns when the last one is finished."""
        served = [self._serve(record) for record in records]
        self._rest(served[-1].done_ns)
        self._note(served)

    def _serve(self, record: ConsumedRecord) -> _Served:
        end = self._clock.finish_ns(record.size, record.taken_ns)
        begin = end - self._clock.service_ns(record.size)
        return _Served(record, max(record.taken_ns, begin), max(record.taken_ns, end))

    def _note(self, served: Sequence[_Served]) -> None:
        """Write evidence, after any wait: until here, the records may be another consumer's."""
        for record, read_ns, done_ns in served:
            try:
                head = parse(record.value)
            except InvalidRecord:
                self.invalid += 1
                continue
            self._evidence.append(
                record.partition, record.epoch, head.sequence, head.due_ns, read_ns, done_ns
            )


class BatchService(RatedService):
    """Processes records in the authors' way: a batch is finished as a whole.

    Gathering a full batch is part of the work, as in the authors' measurement of C̄; waiting for
    records is not.

    Parameters
    ----------
    rate, evidence, rest
        As for `RatedService`.
    batch_bytes
        Bytes of a full batch.
    now
        Nanoseconds of the run's clock.
    """

    def __init__(
        self,
        rate: float,
        evidence: EvidenceWriter,
        rest: Callable[[int], None],
        batch_bytes: int,
        now: Callable[[], int],
    ) -> None:
        super().__init__(rate, evidence, rest)
        self._batch_bytes, self._now = batch_bytes, now

    def __call__(self, records: Sequence[ConsumedRecord]) -> None:
        """Process a batch; returns when it is finished."""
        is_full = sum(record.size for record in records) >= self._batch_bytes
        begin = records[0].taken_ns if is_full else self._now()
        end = max(self._clock.finish_ns(record.size, begin) for record in records)
        end = max(end, records[-1].taken_ns)
        self._rest(end)
        self._note([_Served(record, record.taken_ns, end) for record in records])
