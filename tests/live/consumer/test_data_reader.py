"""Records of the partitions that a consumer owns, and no others."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError

from live.consumer import data_reader
from live.consumer.client_errors import Refused
from live.consumer.data_reader import DataReader
from live.protocol.messages import PartitionOffset
from tests.live.consumer.client_fakes import FakeConsumer, FakeMessage

pytestmark = pytest.mark.unit


class Reading:
    """A reader, its client, and a clock that stands where a test puts it."""

    def __init__(self, moved_ns: int | None = None, buffer_bytes: int = 0) -> None:
        self.now_ns = 0
        self.notes: list[str] = []
        self.reader = DataReader(
            {}, "data", lambda: self.now_ns, self.notes.append, moved_ns, buffer_bytes
        )
        assert isinstance(self.reader._consumer, FakeConsumer)
        self.client = self.reader._consumer

    def arrive(self, partition: int, *offsets: int, size: int = 10) -> None:
        self.client.messages += [FakeMessage(n, bytes(size), partition) for n in offsets]

    def take(self, max_bytes: int = 10**6) -> list[tuple[int, int]]:
        records = self.reader.take(max_bytes, 0.0)
        self.reader.done(records)
        return [(record.partition, record.offset) for record in records]


@pytest.fixture(autouse=True)
def fake_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_reader, "Consumer", FakeConsumer)


def test_partitions_are_assigned_at_explicit_offsets() -> None:
    reading = Reading()
    reading.reader.assign([PartitionOffset(3, 1, 70), PartitionOffset(1, 4, 0)])
    reading.reader.unassign([3])
    assert reading.client.calls == [
        ("incremental_assign", [("data", 3, 70), ("data", 1, 0)]),
        ("incremental_unassign", [("data", 3, -1001)]),
    ]


def test_leaders_are_known_before_the_first_partition() -> None:
    reading = Reading()
    unknown = KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)
    for topics in (None, {}, {"data": SimpleNamespace(error=unknown)}):
        reading.client.topics = topics
        assert not reading.reader.get_ready(1.0)
    reading.client.topics = {"data": SimpleNamespace(error=None)}
    assert reading.reader.get_ready(1.0)


def test_no_call_is_made_without_partitions() -> None:
    reading = Reading()
    reading.reader.assign([])
    assert reading.reader.unassign([]) == []
    assert reading.client.calls == []


def test_records_carry_their_epoch_and_time() -> None:
    reading = Reading()
    reading.reader.assign([PartitionOffset(0, 5, 7)])
    reading.now_ns = 123
    reading.arrive(0, 7, size=3)
    (record,) = reading.reader.take(100, 0.0)
    assert record == (0, 7, 5, bytes(3), None, 123)
    assert record.size == 3


def test_no_more_is_taken_than_wanted_and_one_record() -> None:
    reading = Reading()
    reading.reader.assign([PartitionOffset(0, 1, 0)])
    reading.arrive(0, *range(10))
    assert reading.take(25) == [(0, 0), (0, 1), (0, 2)]
    assert reading.take(1) == [(0, 3)]
    assert len(reading.take()) == 6
    assert reading.take() == []


def test_what_was_buffered_for_an_earlier_tenure_is_dropped() -> None:
    reading = Reading()
    reading.reader.assign([PartitionOffset(0, 1, 0), PartitionOffset(1, 1, 0)])
    reading.arrive(0, 0, 1)
    reading.take()
    assert reading.reader.unassign([0]) == [PartitionOffset(0, 1, 2)]
    reading.arrive(0, 2, 3)
    reading.arrive(1, 0)
    assert reading.take() == [(1, 0)]
    reading.reader.assign([PartitionOffset(0, 3, 8)])
    reading.arrive(0, 4, 5, 8, 9)
    assert reading.take() == [(0, 8), (0, 9)]


def test_progress_is_the_offset_to_process_next() -> None:
    reading = Reading()
    reader = reading.reader
    reader.assign([PartitionOffset(0, 1, 5), PartitionOffset(1, 2, 0)])
    assert reader.unwritten() == []
    reading.arrive(0, 5, 6)
    taken = reader.take(10**6, 0.0)
    assert reader.unwritten() == []
    reader.done(taken[:1])
    assert reader.unwritten() == [PartitionOffset(0, 1, 6)]
    reader.written([PartitionOffset(0, 1, 6), PartitionOffset(7, 1, 1)])
    assert reader.unwritten() == []
    assert reader.progress() == [PartitionOffset(0, 1, 6), PartitionOffset(1, 2, 0)]


@pytest.mark.parametrize("code", [KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE])
def test_records_that_are_gone_are_refused(code: int) -> None:
    reading = Reading()
    reading.reader.assign([PartitionOffset(2, 1, 55)])
    reading.client.messages.append(FakeMessage(partition=2, error=code))
    with pytest.raises(Refused, match="data, partition 2, offset 55: the record is not stored"):
        reading.take()


def test_passing_errors_are_noted() -> None:
    reading = Reading()
    reading.reader.assign([PartitionOffset(0, 1, 0)])
    reading.client.messages.append(FakeMessage(error=KafkaError._TRANSPORT))
    reading.arrive(0, 0)
    assert reading.take() == [(0, 0)]
    assert len(reading.notes) == 1


def test_moved_partitions_come_last_for_a_while() -> None:
    reading = Reading(moved_ns=100, buffer_bytes=1000)
    reading.reader.assign([PartitionOffset(0, 1, 0)])
    reading.now_ns = 150
    reading.reader.assign([PartitionOffset(1, 1, 0)])
    reading.arrive(1, 0, 1)
    reading.arrive(0, 0, 1)
    assert reading.take(30) == [(0, 0), (0, 1), (1, 0)]
    reading.now_ns = 250
    reading.arrive(0, 2)
    assert reading.take() == [(1, 1), (0, 2)]


def test_no_more_is_buffered_than_allowed() -> None:
    reading = Reading(moved_ns=100, buffer_bytes=50)
    reading.reader.assign([PartitionOffset(0, 1, 0)])
    reading.arrive(0, *range(20))
    assert len(reading.take(10)) == 1
    assert len(reading.client.messages) == 15
    reading.reader.unassign([0])
    reading.reader.assign([PartitionOffset(0, 2, 1)])
    reading.client.messages.clear()
    assert reading.take() == []
