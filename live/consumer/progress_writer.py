"""Writes progress in transactions of the slot, so that a consumer taken for lost can be fenced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto

from confluent_kafka import KafkaException, Producer

from live.consumer import progress_record
from live.consumer.client_errors import Unusable, cause, raise_if_final
from live.protocol.messages import PartitionOffset

PROOF = b"alive"
"""Key of the tombstones that prove that an incarnation has not been replaced."""


class _Phase(Enum):
    """What is under way at the broker."""

    NOTHING = auto()
    COMMIT = auto()
    ABORT = auto()


class ProgressWriter:
    """Transactional writer of topic `progress`.

    No call waits longer than `call_s`: the caller repeats it as long as it returns False.

    client: Settings of the producer, with the slot's transactional id.
    call_s: Time limit of a call to the brokers, seconds.
    """

    def __init__(self, client: Mapping[str, object], topic: str, call_s: float) -> None:
        self._producer = Producer(dict(client))
        self._topic, self._call_s = topic, call_s
        self._phase = _Phase.NOTHING
        self._is_ready = False

    def get_ready(self) -> bool:
        """Find the coordinator and fence earlier incarnations; whether that is done.

        Raises Fenced if a later one was faster.
        Raises Unusable after a fatal error.
        """
        if not self._is_ready:
            try:
                self._producer.init_transactions(self._call_s)
                self._is_ready = True
            except KafkaException as error:
                raise_if_final(cause(error))
        return self._is_ready

    def write(self, rows: Sequence[PartitionOffset]) -> bool:
        """Write rows in one transaction; whether it is committed.

        After False the caller repeats the call with the same rows, and processes nothing until
        then. A call without rows checks that this incarnation has not been replaced.

        Raises Fenced if this incarnation has been replaced. Nothing of these rows was written.
        Raises Unusable after a fatal error.
        """
        try:
            if self._phase is _Phase.ABORT:
                self._producer.abort_transaction(self._call_s)
                self._phase = _Phase.NOTHING
            if self._phase is _Phase.NOTHING:
                self._begin(rows)
            self._producer.commit_transaction(self._call_s)
            self._phase = _Phase.NOTHING
        except KafkaException as error:
            reason = cause(error)
            raise_if_final(reason)
            if reason.txn_requires_abort():
                self._phase = _Phase.ABORT
            elif not reason.retriable():
                raise Unusable(reason.str()) from error
            return False
        return True

    def _begin(self, rows: Sequence[PartitionOffset]) -> None:
        self._producer.begin_transaction()
        self._phase = _Phase.COMMIT
        if not rows:  # An empty transaction would not reach the broker. Readers skip tombstones.
            self._producer.produce(self._topic, None, key=PROOF, partition=0)
        for row in rows:
            self._producer.produce(
                self._topic, progress_record.value(row), key=progress_record.key(row), partition=0
            )
