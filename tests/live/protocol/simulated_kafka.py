"""As much of Kafka as the protocol uses: logs, transactions, and fencing by transactional id."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Fenced(Exception):
    """Another producer has initialised the same transactional id."""


class TransactionState(Enum):
    OPEN = 1
    COMMITTED = 2
    ABORTED = 3


@dataclass(slots=True)
class Transaction:
    state: TransactionState = TransactionState.OPEN
    sent: list[tuple[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Entry:
    value: Any
    transaction: Transaction | None
    visible_at: float


class SimulatedKafka:
    """Logs by topic and partition, such as ``command/3``.

    A read gives what a reader of committed messages gets: nothing of a transaction that is
    aborted, and nothing behind one that is open. Messages become readable after random delays, in
    the order of their log.
    """

    def __init__(self, choose: random.Random, delay: float) -> None:
        self.now = 0.0
        self.logs: dict[str, list[Entry]] = {}
        self.epochs: dict[str, int] = {}
        self.open: dict[str, Transaction] = {}
        self._choose, self._delay = choose, delay

    def init(self, transactional_id: str) -> SimulatedProducer:
        """Initialise a transactional id: abort its transaction and fence its other producers."""
        left = self.open.pop(transactional_id, None)
        if left is not None:
            left.state = TransactionState.ABORTED
        self.epochs[transactional_id] = epoch = self.epochs.get(transactional_id, 0) + 1
        return SimulatedProducer(self, transactional_id, epoch)

    def send(self, log: str, value: Any, transaction: Transaction | None = None) -> None:
        entries = self.logs.setdefault(log, [])
        # Squared: most messages are quick, some are late.
        visible_at = self.now + self._delay * self._choose.random() ** 2
        if entries:
            visible_at = max(visible_at, entries[-1].visible_at)
        entries.append(Entry(value, transaction, visible_at))

    def end(self, log: str) -> int:
        return len(self.logs.get(log, ()))

    def stable_end(self, log: str) -> int:
        """Offset of the first message of an open transaction, or the end."""
        entries = self.logs.get(log, [])
        for offset, entry in enumerate(entries):
            if entry.transaction is not None and entry.transaction.state is TransactionState.OPEN:
                return offset
        return len(entries)

    def next(self, log: str, position: int) -> tuple[Any, int]:
        """The next readable message, None if there is none, and the position behind it."""
        entries = self.logs.get(log, ())
        while position < len(entries):
            entry = entries[position]
            state = None if entry.transaction is None else entry.transaction.state
            if entry.visible_at > self.now or state is TransactionState.OPEN:
                return None, position
            position += 1
            if state is not TransactionState.ABORTED:
                return entry.value, position
        return None, position

    def committed(self, log: str, end: int) -> list[Any]:
        """Committed messages before an offset that is stable, however late they are."""
        return [
            entry.value
            for entry in self.logs.get(log, [])[:end]
            if entry.transaction is None or entry.transaction.state is TransactionState.COMMITTED
        ]


@dataclass(slots=True)
class SimulatedProducer:
    """A transactional producer; each call raises `Fenced` once another has taken its id."""

    kafka: SimulatedKafka
    transactional_id: str
    epoch: int

    @property
    def is_fenced(self) -> bool:
        return self.kafka.epochs[self.transactional_id] != self.epoch

    def begin(self) -> None:
        self._check()
        self.kafka.open[self.transactional_id] = Transaction()

    def send(self, log: str, value: Any) -> None:
        self._check()
        transaction = self.kafka.open[self.transactional_id]
        transaction.sent.append((log, value))
        self.kafka.send(log, value, transaction)

    def commit(self) -> list[tuple[str, Any]]:
        """Commit, and return what has become visible."""
        self._check()
        transaction = self.kafka.open.pop(self.transactional_id)
        transaction.state = TransactionState.COMMITTED
        return transaction.sent

    def _check(self) -> None:
        if self.is_fenced:
            raise Fenced(self.transactional_id)
