"""Events to the controller."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError

from live.consumer import event_sender
from live.consumer.event_sender import EventSender
from live.protocol.messages import Bye, Received, decode
from tests.live.consumer.client_fakes import FakeMessage, FakeProducer

pytestmark = pytest.mark.unit


@pytest.fixture
def sender(monkeypatch: pytest.MonkeyPatch) -> EventSender:
    monkeypatch.setattr(event_sender, "Producer", FakeProducer)
    return EventSender({}, "event", lambda: 77)


def client(sender: EventSender) -> FakeProducer:
    assert isinstance(sender._producer, FakeProducer)
    return sender._producer


def test_an_event_carries_the_time(sender: EventSender) -> None:
    sender.send(Bye(1, 2))
    ((key, value),) = client(sender).rows
    assert key is None
    assert decode(value or b"") == Received(Bye(1, 2), 77)
    assert client(sender).calls == ["produce", "poll"]
    assert sender.flush(1.0)


def test_events_that_cannot_be_sent_are_counted(sender: EventSender) -> None:
    sender.send(Bye(1, 2))
    sender.send(Bye(1, 2))
    first, second = client(sender).reports
    first(None, FakeMessage())
    second(KafkaError(KafkaError._MSG_TIMED_OUT), FakeMessage())
    client(sender).errors["produce"] = [BufferError()]
    sender.send(Bye(1, 2))
    assert sender.failed == 2
