"""Messages as they arrive, those that are not understood, and a broker that does not answer."""

from __future__ import annotations

from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException

from live.controller import topic_reader
from live.controller.invalid_messages import InvalidMessages
from live.controller.topic_reader import TopicReader
from live.controller.transactions import BrokerSilent
from live.protocol.messages import Bye, encode
from tests.live.consumer.client_fakes import FakeConsumer, FakeMessage

pytestmark = pytest.mark.unit

BYE = encode(Bye(0, 1), 5)


class Client(FakeConsumer):
    """A consumer of the library, at the end of a topic with ten messages."""

    end = 10
    fails = False

    def consume(self, number: int, seconds: float) -> list[FakeMessage]:
        arrived, self.messages = self.messages[:number], self.messages[number:]
        return arrived

    def get_watermark_offsets(self, place: Any, seconds: float) -> tuple[int, int]:
        assert seconds > 0
        if self.fails:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        return 0, self.end


class Said(list[tuple[str, dict[str, Any]]]):
    """A journal."""

    def write(self, what: str, **fields: Any) -> None:
        self.append((what, fields))


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch, said: Any) -> TopicReader:
    monkeypatch.setattr(topic_reader, "Consumer", Client)
    monkeypatch.setattr(topic_reader, "PART_S", 0.0)
    return TopicReader("b", "event", InvalidMessages(said, "event").reject)


def client(reader: TopicReader) -> Client:
    return cast(Client, reader._reader)


def test_it_begins_at_the_end(reader: TopicReader) -> None:
    assert client(reader).calls == [("assign", [("event", 0, 10)])]


def test_invalid_messages_are_counted_in_the_journal(reader: TopicReader, said: Said) -> None:
    client(reader).messages = [
        FakeMessage(10, b"nonsense"),
        FakeMessage(11, BYE),
        FakeMessage(12, None),
        FakeMessage(error=KafkaError._TRANSPORT),
    ]
    assert [received.message for received in reader.arrived(0.0)] == [Bye(0, 1)]
    reader.reject("of another kind")
    assert [(what, entry["number"], entry["topic"]) for what, entry in said] == [
        ("invalid", number, "event") for number in (1, 2, 3)
    ]
    assert said[0][1]["message"] == "offset 10: `message` must be JSON (got b'nonsense')"
    assert said[2][1]["message"] == "of another kind"


def test_the_rest_is_read_up_to_the_end(reader: TopicReader) -> None:
    own = client(reader)
    own.end = 1011
    own.messages = [FakeMessage(n, BYE) for n in range(10, 1011)]
    assert len(reader.rest(1.0)) == 1001
    assert reader.rest(1.0) == []
    assert not reader.is_silent


def test_a_broker_that_does_not_answer_is_silent_until_it_does(reader: TopicReader) -> None:
    client(reader).fails = True
    assert reader.rest(0.01) == []
    assert reader.is_silent
    client(reader).fails = False
    reader.rest(0.01)
    assert not reader.is_silent


def test_a_broker_that_does_not_deliver_is_silent_until_it_does(reader: TopicReader) -> None:
    client(reader).end = 12
    client(reader).messages = [FakeMessage(10, BYE)]
    assert len(reader.rest(0.01)) == 1
    assert reader.is_silent
    client(reader).messages = [FakeMessage(11, BYE)]
    assert len(list(reader.arrived(0.0))) == 1
    assert not reader.is_silent


def test_no_reader_without_an_answer(monkeypatch: pytest.MonkeyPatch, said: Any) -> None:
    monkeypatch.setattr(topic_reader, "Consumer", Client)
    monkeypatch.setattr(topic_reader, "CALL_S", 0.01)
    monkeypatch.setattr(Client, "fails", True)
    with pytest.raises(BrokerSilent, match="event"):
        TopicReader("b", "event", InvalidMessages(said, "event").reject)
