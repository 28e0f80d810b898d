"""Stand-ins for classes of the Kafka client."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicPartition


class FakeMessage:
    """A message, or an error in place of one."""

    def __init__(
        self,
        offset: int = 0,
        value: bytes | None = b"",
        partition: int = 0,
        error: int | None = None,
    ) -> None:
        self._offset, self._value, self._partition = offset, value, partition
        self._error = None if error is None else KafkaError(error)

    def offset(self) -> int:
        return self._offset

    def partition(self) -> int:
        return self._partition

    def value(self) -> bytes | None:
        return self._value

    def key(self) -> bytes | None:
        return None

    def error(self) -> KafkaError | None:
        return self._error


class FakeConsumer:
    """Delivers messages that a test has put into `messages`."""

    def __init__(self, settings: dict[str, object]) -> None:
        self.settings = settings
        self.messages: list[FakeMessage] = []
        self.calls: list[tuple[str, list[tuple[str, int, int]]]] = []

        self.topics: dict[str, Any] | None = {}

    def list_topics(self, topic: str, timeout: float) -> Any:
        if self.topics is None:
            raise KafkaException(KafkaError(KafkaError._TRANSPORT))
        return SimpleNamespace(topics=self.topics)

    def poll(self, seconds: float) -> FakeMessage | None:
        return self.messages.pop(0) if self.messages else None

    def assign(self, places: Iterable[TopicPartition]) -> None:
        self._note("assign", places)

    def incremental_assign(self, places: Iterable[TopicPartition]) -> None:
        self._note("incremental_assign", places)

    def incremental_unassign(self, places: Iterable[TopicPartition]) -> None:
        self._note("incremental_unassign", places)

    def _note(self, call: str, places: Iterable[TopicPartition]) -> None:
        self.calls.append(
            (call, [(place.topic, place.partition, place.offset) for place in places])
        )


class FakeProducer:
    """Notes calls, and fails with the errors in `errors`, by the name of the call."""

    def __init__(self, settings: dict[str, object]) -> None:
        self.settings = settings
        self.calls: list[str] = []
        self.rows: list[tuple[bytes | None, bytes | None]] = []
        self.reports: list[Callable[..., None]] = []
        self.errors: dict[str, list[Exception]] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*_: object) -> int:
            self.calls.append(name)
            if self.errors.get(name):
                raise self.errors[name].pop(0)
            return 0

        return call

    def produce(
        self,
        topic: str,
        value: bytes | None,
        key: bytes | None = None,
        partition: int = -1,
        on_delivery: Callable[..., None] | None = None,
    ) -> None:
        self.calls.append("produce")
        if self.errors.get("produce"):
            raise self.errors["produce"].pop(0)
        self.rows.append((key, value))
        if on_delivery is not None:
            self.reports.append(on_delivery)


def failure(
    code: int = KafkaError._TIMED_OUT,
    fatal: bool = False,
    retriable: bool = False,
    requires_abort: bool = False,
) -> KafkaException:
    """An exception as the client raises it."""
    return KafkaException(KafkaError(code, "because", fatal, retriable, requires_abort))
