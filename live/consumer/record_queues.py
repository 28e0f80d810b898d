"""Which of the records that have arrived is processed next."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple


class ConsumedRecord(NamedTuple):
    """A record of the data topic, as `process` gets it."""

    partition: int
    offset: int
    """`partition`, `offset`: where it is."""
    epoch: int
    """Epoch of the partition's tenure here."""
    value: bytes
    """Its bytes."""
    key: bytes | None
    """Its key, if any."""
    taken_ns: int
    """When it was taken from the client, nanoseconds of the run's clock."""

    @property
    def size(self) -> int:
        """Bytes of the value."""
        return len(self.value)


class RecordQueues:
    """Records in the order of arrival, except that some partitions go first.

    Within a partition the order is kept always.

    goes_first: Whether a partition goes before those for which this is false.
    """

    def __init__(self, goes_first: Callable[[int], bool]) -> None:
        self._goes_first = goes_first
        self._queues: dict[int, deque[tuple[int, ConsumedRecord]]] = {}
        self._arrivals = 0
        self.size = 0

    def put(self, record: ConsumedRecord) -> None:
        """Append a record that has arrived."""
        self._arrivals += 1
        queue = self._queues.setdefault(record.partition, deque())
        queue.append((self._arrivals, record))
        self.size += record.size

    def take(self) -> ConsumedRecord | None:
        """The next record; None without any."""
        waiting = [partition for partition, queue in self._queues.items() if queue]
        if not waiting:
            return None
        partition = min(waiting, key=lambda p: (not self._goes_first(p), self._queues[p][0][0]))
        _, record = self._queues[partition].popleft()
        self.size -= record.size
        return record

    def drop(self, partition: int) -> None:
        """Forget the records of a partition."""
        for _, record in self._queues.pop(partition, ()):
            self.size -= record.size
