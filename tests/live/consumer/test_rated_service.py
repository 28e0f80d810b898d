"""What records are processed when, and the evidence of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from live.consumer.rated_service import BatchService, RatedService
from live.consumer.record_queues import ConsumedRecord
from live.records import evidence_file
from live.records.evidence_file import Evidence, EvidenceWriter
from live.records.record_format import RecordWriter

pytestmark = pytest.mark.unit

SECOND = 10**9
WRITER = RecordWriter(1000, 0)


class Desk:
    """A clock that rests make pass, and a file."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "c0-1.bin"
        self.evidence = EvidenceWriter(self.file)
        self.now_ns = 100 * SECOND
        self.counts_at_rest: list[int] = []

    def rest(self, until_ns: int) -> None:
        self.counts_at_rest.append(self.evidence.count)
        self.now_ns = max(self.now_ns, until_ns)

    def record(self, sequence: int, late_ns: int = 0) -> ConsumedRecord:
        value = WRITER.value(4, 0, sequence, 7)
        return ConsumedRecord(4, sequence, 9, value, None, self.now_ns + late_ns)

    def batch(self) -> BatchService:
        return BatchService(1000.0, self.evidence, self.rest, lambda: self.now_ns)

    def read(self) -> list[Evidence]:
        return evidence_file.read(self.file)


Make = Callable[[], Desk]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_records_are_served_one_after_another(desk: Desk) -> None:
    start = desk.now_ns
    service = RatedService(1000.0, desk.evidence, desk.rest)
    service([desk.record(0), desk.record(1)])
    service([desk.record(2)])
    assert desk.read() == [
        Evidence(4, 9, 0, 7, start, start + SECOND),
        Evidence(4, 9, 1, 7, start + SECOND, start + 2 * SECOND),
        Evidence(4, 9, 2, 7, start + 2 * SECOND, start + 3 * SECOND),
    ]


def test_evidence_is_written_after_the_wait(desk: Desk) -> None:
    service = RatedService(1000.0, desk.evidence, desk.rest)
    service([desk.record(0), desk.record(1)])
    service([desk.record(2)])
    assert desk.counts_at_rest == [0, 2]


def test_nothing_is_read_before_it_is_there(desk: Desk) -> None:
    service = RatedService(1e6, desk.evidence, desk.rest)
    service([desk.record(0)])
    desk.now_ns += SECOND
    service([desk.record(1)])
    for record in desk.read():
        assert record.read_ns <= record.done_ns
    assert desk.read()[1].read_ns == desk.now_ns


def test_other_records_are_processed_without_evidence(desk: Desk) -> None:
    service = RatedService(1000.0, desk.evidence, desk.rest)
    service([ConsumedRecord(4, 0, 9, b"x", None, desk.now_ns), desk.record(1)])
    assert service.invalid == 1
    assert [record.sequence for record in desk.read()] == [1]


def test_a_batch_that_was_gathered_quickly_takes_the_time_of_its_rate(desk: Desk) -> None:
    start = desk.now_ns
    records = [desk.record(n, late_ns=n * SECOND // 10) for n in range(3)]
    desk.now_ns += SECOND // 5
    desk.batch()(records)
    assert {record.done_ns for record in desk.read()} == {start + 3 * SECOND}
    assert [record.read_ns for record in desk.read()] == [r.taken_ns for r in records]


def test_a_batch_that_was_gathered_slowly_takes_the_time_to_insert_it(desk: Desk) -> None:
    records = [desk.record(0), desk.record(1)]
    desk.now_ns += SECOND
    desk.batch()(records)
    assert {record.done_ns for record in desk.read()} == {desk.now_ns}
    assert desk.now_ns == records[0].taken_ns + SECOND + round(0.8 * 2 * SECOND)


def test_batches_are_not_faster_than_the_rate(desk: Desk) -> None:
    start, batch = desk.now_ns, desk.batch()
    for first in range(0, 30, 3):
        batch([desk.record(first + n) for n in range(3)])
    assert desk.now_ns == start + 30 * SECOND
