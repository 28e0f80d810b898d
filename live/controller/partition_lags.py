"""How many records of each partition wait: ends of the logs less the consumers' progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from weakref import ref

import numpy as np
from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaException, TopicPartition

from live.controller import progress_rows
from live.controller.scaled_strategy import Lags
from live.live_settings import LiveSettings

READ_S = 0.1
"""Time between two looks, seconds."""

CALL_S = 1.0
"""Longest call to the brokers, seconds; lags stay as they were after it."""


class LagTable:
    """Lags of partitions as of their last progress.

    Progress is written every half second. The end of a partition is therefore compared with it only
    when it is fresh: otherwise records that are processed by now would count as waiting. A
    partition whose progress is not fresh for longer stands still, and all that is written waits.

    fresh_s: Time after which a partition without progress stands still, seconds.
    """

    def __init__(self, partitions: int, fresh_s: float) -> None:
        self._fresh_s = fresh_s
        self._offsets = np.zeros(partitions, np.int64)
        self._lags = np.zeros(partitions)
        self._seen_s = np.full(partitions, -np.inf)
        self._has_moved = np.zeros(partitions, np.bool_)

    def update(self, progress: Mapping[int, int], ends: Sequence[int], now_s: float) -> None:
        """Take in progress that has arrived, and ends of the logs as of now.

        progress: Offset of the record to process next, by partition.
        ends: Offset of the next record to be written, of each partition.
        """
        for partition, offset in progress.items():
            self._has_moved[partition] |= offset > self._offsets[partition]
            self._offsets[partition] = max(offset, self._offsets[partition])
            self._seen_s[partition] = now_s
        behind = np.maximum(np.array(ends, np.int64) - self._offsets, 0)
        is_known = (self._seen_s == now_s) | (now_s - self._seen_s > self._fresh_s) | (behind == 0)
        self._lags = np.where(is_known, behind, self._lags)

    def take(self) -> Lags:
        """Lags now, and which partitions were consumed since the last call."""
        consumed = self._has_moved | (self._lags == 0.0)
        self._has_moved = np.zeros_like(self._has_moved)
        return Lags(self._lags.astype(np.float64), consumed)


class LagReader:
    """Follows the lags of a run in a thread of its own, so that no decision waits for a broker.

    reject: Called, by `take`, with an explanation for each record of progress that is not
        understood.
    """

    def __init__(self, settings: LiveSettings, reject: Callable[[str], None]) -> None:
        self._reject, self._invalid = reject, list[str]()
        self._partitions = settings.partitions
        self._table = LagTable(settings.partitions, 2 * settings.progress_s + READ_S)
        self._lock = threading.Lock()
        self._places = [(settings.topic("data"), p) for p in range(settings.partitions)]
        self._progress_topic = settings.topic("progress")
        client = {
            **settings.security.confluent,
            "bootstrap.servers": settings.bootstrap,
            "group.id": "unused",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "fetch.wait.max.ms": 20,
            "log_level": 2,
        }
        self._progress = Consumer(client)
        self._ends = Consumer({**client, "isolation.level": "read_uncommitted"})
        self._progress.assign([TopicPartition(self._progress_topic, 0, OFFSET_BEGINNING)])
        self._progressed: dict[int, int] = {}
        threading.Thread(target=_follow, args=(ref(self),), name="lags", daemon=True).start()

    def take(self) -> Lags:
        """Lags now, and which partitions were consumed since the last call."""
        with self._lock:
            lags = self._table.take()
            invalid, self._invalid = self._invalid, []
        for why in invalid:
            self._reject(why)
        return lags

    def look(self) -> None:
        """Update the lags; they stay as they were while the brokers do not answer."""
        self._progressed.update(self._next_offsets())
        with suppress(KafkaException):
            ends = self._read_ends()
            with self._lock:
                self._table.update(self._progressed, ends, time.monotonic())
            self._progressed.clear()

    def _next_offsets(self) -> Mapping[int, int]:
        invalid: list[str] = []
        offsets = progress_rows.next_offsets(self._arrived(), self._partitions, invalid.append)
        with self._lock:
            self._invalid += invalid
        return offsets

    def _arrived(self) -> Iterator[bytes]:
        for message in self._progress.consume(1000, READ_S):
            value = message.value()
            if not message.error() and value is not None:
                yield value

    def _read_ends(self) -> list[int]:
        # In place of a time, this asks for the end.
        queries = [TopicPartition(*place, OFFSET_END) for place in self._places]
        rows = self._ends.offsets_for_times(queries, timeout=CALL_S)
        for row in rows:
            if row.error is not None:
                raise KafkaException(row.error)
        by_partition = {row.partition: row.offset for row in rows}
        return [by_partition[partition] for _, partition in self._places]


def _follow(reader: ref[LagReader]) -> None:
    """Update the lags until the reader is discarded: a recovering controller creates a new one."""
    while (present := reader()) is not None:
        present.look()
        del present
