"""What became of the records that the producer has sent, by iteration."""

from __future__ import annotations

from collections import deque

from live.records.lateness import Lateness
from live.records.send_schedule import DueRecord

NS_PER_MS = 10**6

IterationReport = dict[str, object]
"""An iteration of `producer.json`; see `IterationTally.report`."""


class IterationTally:
    """Counts of one iteration.

    iteration: Number of the iteration, from 0.
    sent: Records handed to the client, by partition.
    delivered, failed: Records that the brokers have acknowledged, or that the client has given up.
    """

    def __init__(self, iteration: int, partitions: int) -> None:
        self.iteration = iteration
        self.sent = [0] * partitions
        self.delivered = self.failed = 0
        self.handed_over, self.acknowledged = Lateness(), Lateness()

    @property
    def is_settled(self) -> bool:
        """Whether the fate of every record sent is known."""
        return self.handed_over.count == self.delivered + self.failed

    def report(self, due: list[int]) -> IterationReport:
        """Counts and lateness, milliseconds.

        ``late_…`` is the time from the due time to the hand-over to the client,
        ``acknowledged_…`` that to the brokers' acknowledgement.
        """
        return {
            "iteration": self.iteration,
            "due": sum(due),
            "sent": sum(self.sent),
            "delivered": self.delivered,
            "failed": self.failed,
            "due_by_partition": due,
            "sent_by_partition": self.sent,
            **_percentiles("late", self.handed_over),
            **_percentiles("acknowledged", self.acknowledged),
        }


class SendTally:
    """Counts of all iterations; keeps percentiles only of those that are not settled.

    due: Records due by iteration and partition.
    sent, failed: Records of all iterations.
    sent_by_partition: Records of all iterations, by partition.
    """

    def __init__(self, due: list[list[int]]) -> None:
        self._due = due
        partitions = len(due[0]) if due else 0
        self._waiting: list[deque[tuple[int, IterationTally]]] = [
            deque() for _ in range(partitions)
        ]
        self._open: dict[int, IterationTally] = {}
        self._reports: dict[int, IterationReport] = {}
        self.sent_by_partition = [0] * partitions
        self.sent = self.failed = 0

    def hand_over(self, record: DueRecord, due_ns: int, now_ns: int) -> None:
        """Count a record that the client has taken."""
        tally = self._open.get(record.iteration)
        if tally is None:
            tally = self._begin(record.iteration)
        tally.sent[record.partition] += 1
        tally.handed_over.add(now_ns - due_ns)
        self._waiting[record.partition].append((due_ns, tally))
        self.sent_by_partition[record.partition] += 1
        self.sent += 1

    def settle(self, partition: int, is_delivered: bool, now_ns: int) -> None:
        """Count an acknowledged or failed record: the oldest of its partition, as order is kept."""
        due_ns, tally = self._waiting[partition].popleft()
        if is_delivered:
            tally.delivered += 1
            tally.acknowledged.add(now_ns - due_ns)
        else:
            tally.failed += 1
            self.failed += 1

    def reports(self) -> list[IterationReport]:
        """Reports of all iterations that have begun or have no record due, in order."""
        idle = [iteration for iteration, due in enumerate(self._due) if not any(due)]
        for tally in (*self._open.values(), *map(self._new, idle)):
            self._reports[tally.iteration] = tally.report(self._due[tally.iteration])
        return [self._reports[iteration] for iteration in sorted(self._reports)]

    def _begin(self, iteration: int) -> IterationTally:
        for tally in [tally for tally in self._open.values() if tally.is_settled]:
            self._reports[tally.iteration] = tally.report(self._due[tally.iteration])
            del self._open[tally.iteration]
        tally = self._open[iteration] = self._new(iteration)
        return tally

    def _new(self, iteration: int) -> IterationTally:
        return IterationTally(iteration, len(self._waiting))


def _percentiles(name: str, delays: Lateness) -> dict[str, float]:
    return {
        f"{name}_p50_ms": delays.percentile_ns(50) / NS_PER_MS,
        f"{name}_p99_ms": delays.percentile_ns(99) / NS_PER_MS,
        f"{name}_max_ms": delays.max_ns / NS_PER_MS,
    }
