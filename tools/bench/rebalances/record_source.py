"""Topics, and the records that steadily come into each of their partitions."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from live.kafka import admin_client
from tools.bench.rebalances.cells import TOTAL_RATE

BACKLOG = 4000
"""Records that wait in each partition of a topic with a backlog."""

_VALUE = b"0123456789abcdef"
_SECONDS = 30.0


class RecordSource:
    """A topic that fills while this context manager is open."""

    def __init__(self, bootstrap: str, topic: str, partitions: int, backlog: int = 0) -> None:
        self._topic, self._partitions, self._backlog = topic, partitions, backlog
        self._admin: AdminClient = admin_client.connect(bootstrap)
        self._producer = Producer(
            {"bootstrap.servers": bootstrap, "linger.ms": 0, "acks": 1, "log_level": 3}
        )
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=topic, daemon=True)

    def __enter__(self) -> Self:
        new = NewTopic(self._topic, self._partitions, 1)
        for future in self._admin.create_topics([new]).values():
            future.result(_SECONDS)
        for number in range(self._backlog * self._partitions):
            self._send(number % self._partitions)
        self._producer.flush(_SECONDS)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_over.set()
        self._thread.join()
        self._producer.flush(1.0)

    def _run(self) -> None:
        period_s = self._partitions / TOTAL_RATE
        due = time.monotonic()
        while not self._is_over.is_set():
            for partition in range(self._partitions):
                self._send(partition)
            due = max(due + period_s, time.monotonic() - period_s)
            self._is_over.wait(max(due - time.monotonic(), 0.0))

    def _send(self, partition: int) -> None:
        while True:
            self._producer.poll(0)
            try:
                self._producer.produce(self._topic, _VALUE, partition=partition)
            except BufferError:
                self._producer.poll(0.1)
            else:
                return
