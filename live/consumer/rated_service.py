"""What a consumer does with records by default: take as long as they would, and keep evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from live.consumer.record_queues import ConsumedRecord
from live.consumer.service_clock import ServiceClock
from live.records.evidence_file import EvidenceWriter
from live.records.record_format import InvalidRecord, parse

INSERT_SHARE = 0.8
"""Share of the time of a full batch that inserting takes, as measured by the authors."""


class _Served(NamedTuple):
    """A record, and when it was read and done, nanoseconds of the run's clock."""

    record: ConsumedRecord
    read_ns: int
    done_ns: int


class RatedService:
    """Processes records at C̄, each as soon as the one before is finished.

    rate: C̄, bytes/s.
    rest: Waits until a time of the run's clock, nanoseconds, while the consumer stays alive.
    invalid: Records that are not of the live run's format; there is no evidence of them.
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
    """Processes records in the authors' way: a batch is gathered, then inserted as a whole.

    The authors measured a C̄ of 2.4 MB/s with batches of 5 MB, which took 0.4 s to gather and 1.7 s
    to insert. So inserting takes 80 % of the time that C̄ allows for a batch, and gathering counts
    as the rest, or longer if records come slowly.

    now: Nanoseconds of the run's clock.
    """

    def __init__(
        self,
        rate: float,
        evidence: EvidenceWriter,
        rest: Callable[[int], None],
        now: Callable[[], int],
    ) -> None:
        super().__init__(rate, evidence, rest)
        self._now = now

    def __call__(self, records: Sequence[ConsumedRecord]) -> None:
        """Process a batch; returns when it is finished."""
        size, gathered = sum(record.size for record in records), self._now()
        inserted = gathered + round(INSERT_SHARE * self._clock.service_ns(size))
        end = max(inserted, self._clock.finish_ns(size, records[0].taken_ns))
        self._rest(end)
        self._note([_Served(record, record.taken_ns, end) for record in records])
