"""The producer of a run, without a broker."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from live.records import record_producer
from live.records.record_producer import RecordProducer
from live.records.send_schedule import SendSchedule
from pipeline.base.errors import StageError
from tests.live.short_settings import short_settings

SETTINGS = short_settings(partitions=1, consumer_rate=1e6, iteration_s=0.01, iterations=1)


class Client:
    """A client that acknowledges all records but the last ones."""

    unanswered = 0

    def __init__(self, _: Any) -> None:
        pass

    def produce(self, *_: Any, **__: Any) -> None:
        pass

    def poll(self, _: float) -> int:
        return 0

    def flush(self, _: float) -> int:
        return self.unanswered


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> type[Client]:
    monkeypatch.setattr(record_producer, "Producer", Client)
    monkeypatch.setattr(Client, "unanswered", 0)
    return Client


def send() -> None:
    schedule = SendSchedule([[1e6]], SETTINGS.iteration_s, SETTINGS.record_bytes)
    RecordProducer(SETTINGS, schedule).send_all()


def test_all_records_acknowledged_is_success(client: type[Client]) -> None:
    send()


def test_records_that_nobody_acknowledged_are_an_error(client: type[Client]) -> None:
    client.unanswered = 3
    with pytest.raises(StageError, match="3 records were not delivered"):
        send()


def test_nothing_is_written_to_a_topic_of_the_user(client: type[Client]) -> None:
    schedule = SendSchedule([[1e6]], SETTINGS.iteration_s, SETTINGS.record_bytes)
    with pytest.raises(ValueError, match="topic orders is the user's"):
        RecordProducer(replace(SETTINGS, data_topic="orders"), schedule)
