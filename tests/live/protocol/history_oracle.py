"""What must hold in every history: the invariants of the contract, checked as it unfolds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from live.protocol.messages import PartitionOffset


class Broken(AssertionError):
    """An invariant does not hold."""


@dataclass(slots=True)
class Tenure:
    epoch: int
    consumer: int
    incarnation: int
    offset: int
    next: int
    """Next sequence number that it must process."""


@dataclass(slots=True)
class PartitionHistory:
    tenures: list[Tenure] = field(default_factory=list)
    stopped: dict[int, int] = field(default_factory=dict)
    """Next offset by epoch, from the events `stopped`."""
    progress: int = 0
    counts: list[int] = field(default_factory=list)
    """How often each record was processed."""
    processed: int = 0
    """All records before it were processed."""
    evidence: list[tuple[int, int]] = field(default_factory=list)
    """Epoch and sequence number of each record processed, in the order of time."""
    cut: int = 0
    """Tenures that ended by fencing."""


class HistoryOracle:
    """Sees all that happens, with a single clock, and raises `Broken`.

    Parameters
    ----------
    partitions
        Number of partitions.
    is_fenced
        Whether a process can no longer write progress, by consumer and incarnation.
    """

    def __init__(self, partitions: int, is_fenced: Callable[[int, int], bool]) -> None:
        self.partitions = [PartitionHistory() for _ in range(partitions)]
        self._is_fenced = is_fenced
        self.controllers: list[int] = []
        """Those that have committed something, in the order of their first time."""

    def controlled(self, controller: int) -> None:
        """A controller has committed a transaction. No earlier one may do so from then on."""
        if controller not in self.controllers:
            self.controllers.append(controller)
        elif controller != self.controllers[-1]:
            raise Broken(f"controller {controller} has won the group back from a newer one")

    def commanded_start(self, consumer: int, incarnation: int, row: PartitionOffset) -> None:
        """A command to start was committed. Invariant 1."""
        history = self.partitions[row.partition]
        last = history.tenures[-1] if history.tenures else None
        if last is not None and row.epoch == last.epoch:
            again = (consumer, incarnation, row.offset)
            if again != (last.consumer, last.incarnation, last.offset):
                raise Broken(f"{row} differs from {last}")
            return
        if row.epoch != (last.epoch if last else 0) + 1:
            raise Broken(f"{row} after {last}")
        if last is not None:
            self._check_ended(history, last, row)
        history.tenures.append(
            Tenure(row.epoch, consumer, incarnation, row.offset, next=row.offset)
        )

    def _check_ended(self, history: PartitionHistory, last: Tenure, row: PartitionOffset) -> None:
        is_stopped = last.epoch in history.stopped
        if not is_stopped and not self._is_fenced(last.consumer, last.incarnation):
            raise Broken(f"{row} while {last} is at work")
        history.cut += not is_stopped
        offset = max(history.progress, last.offset)
        if row.offset != offset:
            raise Broken(f"{row} does not begin at {offset}")

    def answered_stop(self, row: PartitionOffset) -> None:
        """An event `stopped` was sent."""
        history = self.partitions[row.partition]
        answered = history.stopped.setdefault(row.epoch, row.offset)
        if answered != row.offset:
            raise Broken(f"{row}, but the first answer was {answered}")

    def wrote_progress(self, row: PartitionOffset) -> None:
        """Progress was committed. Invariants 2 and 3."""
        history = self.partitions[row.partition]
        if row.offset < history.progress:
            raise Broken(f"progress {row} after {history.progress}")
        if row.epoch != history.tenures[-1].epoch:
            raise Broken(f"progress {row}, but the last tenure is {history.tenures[-1]}")
        if row.offset > history.processed:
            raise Broken(f"progress {row}, but record {history.processed} was not processed")
        history.progress = row.offset

    def processed(self, partition: int, epoch: int, sequence: int) -> None:
        """A record was processed. In a tenure: all records in order, from its offset on."""
        history = self.partitions[partition]
        tenure = history.tenures[epoch - 1]
        if tenure.next != sequence:
            raise Broken(f"record {sequence} in {tenure}")
        tenure.next += 1
        counts = history.counts
        counts.extend([0] * (sequence + 1 - len(counts)))
        counts[sequence] += 1
        while history.processed < len(counts) and counts[history.processed]:
            history.processed += 1
        history.evidence.append((epoch, sequence))

    def check_duplicates(self, per_cut: int) -> None:
        """Invariant 5, with the duplicates that one loss of an owner may cause."""
        for number, history in enumerate(self.partitions):
            twice = sum(count - 1 for count in history.counts if count > 1)
            limit = history.cut * per_cut
            if twice > limit:
                raise Broken(f"partition {number}: {twice} duplicates, limit {limit}")

    def check_undisturbed(self) -> None:
        """Invariant 4: nothing twice, in order, no two epochs overlap."""
        for number, history in enumerate(self.partitions):
            sequences = [sequence for _, sequence in history.evidence]
            epochs = [epoch for epoch, _ in history.evidence]
            if sequences != list(range(len(sequences))):
                raise Broken(f"partition {number}: not in order: {sequences}")
            if epochs != sorted(epochs):
                raise Broken(f"partition {number}: epochs overlap: {epochs}")
