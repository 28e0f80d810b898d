"""Commands, and messages that are none."""

from __future__ import annotations

import pytest
from confluent_kafka import OFFSET_BEGINNING, KafkaError

from live.consumer import command_reader
from live.consumer.command_reader import CommandReader
from live.protocol.messages import Beat, End, PartitionEpoch, Stop, encode
from tests.live.consumer.client_fakes import FakeConsumer, FakeMessage

pytestmark = pytest.mark.unit

STOP, END = Stop(1, 2, (PartitionEpoch(0, 1),)), End(1)


@pytest.fixture
def rejected() -> list[str]:
    return []


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch, rejected: list[str]) -> CommandReader:
    monkeypatch.setattr(command_reader, "Consumer", FakeConsumer)
    return CommandReader({}, "command", 3, rejected.append)


def client(reader: CommandReader) -> FakeConsumer:
    assert isinstance(reader._consumer, FakeConsumer)
    return reader._consumer


def test_the_partition_of_the_slot_is_read_from_its_beginning(reader: CommandReader) -> None:
    assert client(reader).calls == [("assign", [("command", 3, OFFSET_BEGINNING)])]


def test_all_that_has_arrived_is_taken_in_order(reader: CommandReader) -> None:
    client(reader).messages = [FakeMessage(n, encode(m, 5)) for n, m in enumerate([STOP, END])]
    assert reader.take() == [STOP, END]
    assert reader.take() == []


def test_the_end_is_noted_once_it_is_reached(reader: CommandReader) -> None:
    client(reader).messages = [FakeMessage(0, encode(END, 5))]
    reader.take()
    assert not reader.is_caught_up
    client(reader).messages = [FakeMessage(error=KafkaError._PARTITION_EOF)]
    assert reader.take() == []
    assert reader.is_caught_up


def test_other_messages_are_rejected_one_by_one(reader: CommandReader, rejected: list[str]) -> None:
    client(reader).messages = [
        FakeMessage(0, b"nonsense"),
        FakeMessage(1, None),
        FakeMessage(2, encode(Beat(0, 1, {}, 0), 5)),
        FakeMessage(error=KafkaError._TRANSPORT),
        FakeMessage(4, encode(END, 5)),
    ]
    assert reader.take() == [END]
    assert len(rejected) == 4
    assert "offset 2: Beat" in rejected[2]
    # Each of them says how many there were.
    assert [why.partition(",")[0] for why in rejected[:3]] == [
        f"invalid command {number}" for number in (1, 2, 3)
    ]
    assert reader.invalid == 3
