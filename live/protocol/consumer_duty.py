"""What one consumer owns, and what a command asks of its process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from live.protocol.messages import (
    Beat,
    Bye,
    Command,
    End,
    PartitionEpoch,
    PartitionOffset,
    Start,
    Started,
    Stop,
    Stopped,
)

NOTHING: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class Task:
    """What a process must do for one command, before it answers."""

    command: Command
    """The command."""
    unassign: tuple[int, ...] = ()
    """Partitions to unassign now. What is buffered of them must be dropped, and their progress
    written, before the command is answered."""
    assign: tuple[PartitionOffset, ...] = ()
    """Partitions to assign now, each at its offset, after the others are unassigned."""
    answers: tuple[PartitionEpoch, ...] = ()
    """Partitions that the answer lists, with those of an earlier, equal command."""
    ends: bool = False
    """Whether to unassign everything, write all progress, answer `Bye` and end."""
    skipped: bool = False
    """Whether the command is for another incarnation."""


@dataclass(slots=True)
class _Tenure:
    """The last tenure of a partition here."""

    epoch: int
    """Its epoch."""
    is_owned: bool = True
    """False from the command to stop on."""
    stopped_at: int = -1
    """Next offset to process, once the command to stop is answered; -1 before."""


class ConsumerDuty:
    """Follows the commands for one incarnation of a consumer.

    The process passes each command to `apply`, does what the task says, and sends what `answer`
    returns. Commands may come twice, or again after others: each tenure of a partition, known by
    its epoch, begins once and stops once, and equal commands get equal answers.

    incarnation: Number of the process in its slot; commands for others are skipped.
    """

    def __init__(self, consumer: int, incarnation: int) -> None:
        self.consumer, self.incarnation = consumer, incarnation
        self._tenures: dict[int, _Tenure] = {}
        self._is_ending = False

    @property
    def owned(self) -> dict[int, int]:
        """Epochs of the partitions to process, by partition."""
        return {p: tenure.epoch for p, tenure in self._tenures.items() if tenure.is_owned}

    @property
    def is_ending(self) -> bool:
        """Whether the consumer was told to end."""
        return self._is_ending

    def owns(self, partition: int, epoch: int) -> bool:
        """Whether a tenure is to be processed here."""
        tenure = self._tenures.get(partition)
        return tenure is not None and tenure.is_owned and tenure.epoch == epoch

    def beat(self, processed: int) -> Beat:
        """The sign of life to send now; `processed` counts the records of this process."""
        return Beat(self.consumer, self.incarnation, self.owned, processed)

    def apply(self, command: Command) -> Task:
        """Take a command; from now on `owned` is as it asks for."""
        if command.incarnation != self.incarnation:
            return Task(command, skipped=True)
        if isinstance(command, Stop):
            return self._stop(command)
        if isinstance(command, Start):
            return self._start(command)
        return self._end(command)

    def answer(
        self, task: Task, next_offsets: Mapping[int, int] = NOTHING
    ) -> Started | Stopped | Bye | None:
        """The event to send once a task is done.

        task: What `apply` returned.
        next_offsets: Offset of the record to process next, by partition; needed for those of a
            stop. The first answer counts: later ones repeat it.
        Returns: None if there is nothing to answer.
        Raises ValueError if a partition has stopped and its next offset is missing.
        """
        command = task.command
        if task.ends:
            return Bye(self.consumer, self.incarnation)
        if isinstance(command, Start) and task.answers:
            return Started(self.consumer, self.incarnation, command.plan, task.answers)
        if isinstance(command, Stop) and task.answers:
            rows = tuple(self._stopped_at(row, next_offsets) for row in task.answers)
            return Stopped(self.consumer, self.incarnation, command.plan, rows)
        return None

    def _stop(self, command: Stop) -> Task:
        unassign, answers = [], []
        for partition, epoch in command.partitions:
            tenure = self._tenures.get(partition)
            if tenure is None or tenure.epoch != epoch:
                continue
            if tenure.is_owned:
                tenure.is_owned = False
                unassign.append(partition)
            answers.append(PartitionEpoch(partition, epoch))
        return Task(command, unassign=tuple(unassign), answers=tuple(answers))

    def _start(self, command: Start) -> Task:
        if self._is_ending:
            return Task(command)
        unassign, assign, answers = [], [], []
        for row in command.partitions:
            tenure = self._tenures.get(row.partition)
            if tenure is None or tenure.epoch < row.epoch:
                if tenure is not None and tenure.is_owned:
                    unassign.append(row.partition)
                self._tenures[row.partition] = _Tenure(row.epoch)
                assign.append(row)
            # A tenure that has stopped must not begin again: another consumer may own it by now.
            if self.owns(row.partition, row.epoch):
                answers.append(PartitionEpoch(row.partition, row.epoch))
        return Task(command, tuple(unassign), tuple(assign), tuple(answers))

    def _end(self, command: End) -> Task:
        unassign = tuple(self.owned)
        self._is_ending = True
        for partition in unassign:
            self._tenures[partition].is_owned = False
        return Task(command, unassign=unassign, ends=True)

    def _stopped_at(self, row: PartitionEpoch, next_offsets: Mapping[int, int]) -> PartitionOffset:
        tenure = self._tenures[row.partition]
        if tenure.stopped_at < 0:
            if row.partition not in next_offsets:
                raise ValueError(f"partition {row.partition} has stopped: its offset is missing")
            tenure.stopped_at = next_offsets[row.partition]
        return PartitionOffset(row.partition, row.epoch, tenure.stopped_at)
