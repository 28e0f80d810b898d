"""Messages that become visible together or not at all, and what has been committed so far."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)

from live.kafka import log_offsets

CALL_S = 5.0
"""Longest call to the broker, seconds; then it is made again."""

_FENCED = (KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH)


class Fenced(Exception):
    """Another process has taken over the transactional id."""


class BrokerSilent(Exception):
    """The broker does not answer in time."""


class Outgoing(NamedTuple):
    """A message to send."""

    topic: str
    partition: int
    """`topic`, `partition`: where to."""
    value: bytes | None
    """The message; None deletes what a compacted topic has under the key."""
    key: bytes | None = None
    """Key in a compacted topic."""


class TransactionalWriter:
    """Writes under a transactional id; the newest writer of an id fences the others.

    properties: Further settings of the client, such as ``sasl.username``.
    """

    def __init__(
        self,
        bootstrap: str,
        transactional_id: str,
        properties: Mapping[str, object] | None = None,
    ) -> None:
        self._producer = Producer(
            {
                **(properties or {}),
                "bootstrap.servers": bootstrap,
                "transactional.id": transactional_id,
                "transaction.timeout.ms": 30_000,
                "linger.ms": 0,
                "log_level": 2,
            }
        )

    def take_over(self, seconds: float) -> None:
        """Fence all earlier writers, and abort what they left open.

        Raises Fenced if another writer did so at the same time, and later.
        Raises BrokerSilent if it was not possible in that time.
        """
        end = time.monotonic() + seconds
        while True:
            try:
                self._producer.init_transactions(min(CALL_S, seconds))
                return
            except KafkaException as error:
                if error.args[0].code() in _FENCED:
                    raise Fenced(str(error)) from error
                if error.args[0].fatal() or time.monotonic() > end:
                    raise BrokerSilent(str(error)) from error

    def commit(self, messages: Iterable[Outgoing]) -> None:
        """Write messages in one transaction.

        Raises Fenced if there is a newer writer: nothing was written, and nothing can be any more.
        Raises BrokerSilent if the broker did not answer in time: it is not known whether anything
            was written.
        """
        try:
            self._producer.begin_transaction()
            for message in messages:
                self._producer.produce(
                    message.topic, message.value, key=message.key, partition=message.partition
                )
            self._commit()
        except KafkaException as error:
            self._give_up(error)

    def _commit(self) -> None:
        for attempt in range(3):
            try:
                self._producer.commit_transaction(CALL_S)
                return
            except KafkaException as error:
                if not error.args[0].retriable() or attempt == 2:
                    raise

    def _give_up(self, error: KafkaException) -> None:
        cause = self._aborted(error.args[0])
        if cause.code() in _FENCED:
            raise Fenced(str(cause)) from error
        raise BrokerSilent(str(cause)) from error

    def _aborted(self, cause: KafkaError) -> KafkaError:
        """Abort the transaction if that is required; why it failed, as is known afterwards."""
        if cause.code() in _FENCED or not cause.txn_requires_abort():
            return cause
        try:
            self._producer.abort_transaction(CALL_S)
        except KafkaException as error:
            # Whether there is a newer writer may show only now.
            reason: KafkaError = error.args[0]
            return reason
        return cause


def committed(
    bootstrap: str,
    topic: str,
    properties: Mapping[str, object] | None = None,
    seconds: float = CALL_S,
) -> Mapping[bytes, bytes]:
    """Newest value of each key in partition 0 of a compacted topic.

    It reads to the end of what is written now, so that a topic that others write to comes to an end
    too. A transaction that is open there hides what was committed after it: this waits until it is
    committed or aborted.

    Raises BrokerSilent if the broker does not answer in time, or a transaction stays open for so
        many seconds.
    """
    with _reader(bootstrap, properties) as reader:
        end = _written_end(bootstrap, topic, properties)
        return _read_to(reader, topic, end, seconds)


def stable(
    bootstrap: str,
    topic: str,
    properties: Mapping[str, object] | None = None,
    seconds: float = CALL_S,
) -> Mapping[bytes, bytes]:
    """As `committed`, but for open transactions. Raises BrokerSilent without an answer in time."""
    until = time.monotonic() + seconds
    with _reader(bootstrap, properties) as reader:
        # For a reader of committed messages, this is the last stable offset.
        end = _end(reader, topic, seconds)
        return _read_to(reader, topic, end, max(until - time.monotonic(), CALL_S))


@contextmanager
def _reader(bootstrap: str, properties: Mapping[str, object] | None) -> Iterator[Consumer]:
    """A reader of committed messages."""
    reader = Consumer(
        {
            **(properties or {}),
            "bootstrap.servers": bootstrap,
            "group.id": "unused",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "fetch.wait.max.ms": 20,
            "enable.partition.eof": True,
            "log_level": 2,
        }
    )
    try:
        yield reader
    finally:
        reader.close()


def _written_end(bootstrap: str, topic: str, properties: Mapping[str, object] | None) -> int:
    """End of a topic's only partition with all open transactions."""
    reader = log_offsets.reader(bootstrap, properties)
    try:
        return _end(reader, topic, CALL_S)
    finally:
        reader.close()


def _end(reader: Consumer, topic: str, seconds: float) -> int:
    """End of a topic's only partition, as this reader sees it."""
    until = time.monotonic() + seconds
    while True:
        ends = log_offsets.ends(reader, topic, [0], min(CALL_S, seconds))
        if ends:
            return ends[0]
        if time.monotonic() > until:
            raise BrokerSilent(f"{topic}: its leader does not answer")


def _read_to(reader: Consumer, topic: str, end: int, seconds: float) -> Mapping[bytes, bytes]:
    reader.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    values: dict[bytes, bytes] = {}
    until = time.monotonic() + seconds
    reached = 0
    # The last offsets belong to markers of transactions, which are never delivered: the end of the
    # partition, which is reported each time there is nothing more, tells where the reader is.
    while reached < end:
        if time.monotonic() > until:
            raise BrokerSilent(f"{topic}: not read to its end in {seconds:g} s")
        for message in reader.consume(1000, 0.05):
            error = message.error()
            if error is None:
                reached = (message.offset() or 0) + 1
                _keep(values, message.key(), message.value())
            elif error.code() == KafkaError._PARTITION_EOF:
                reached = max(reached, message.offset() or 0)
    return values


def _keep(values: dict[bytes, bytes], key: bytes | None, value: bytes | None) -> None:
    if key is not None and value is None:
        values.pop(key, None)
    elif key is not None and value is not None:
        values[key] = value
