"""What a plan wanted and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field

NOBODY = -1
"""In place of a consumer: none."""


@dataclass(slots=True)
class Move:
    """A partition's way from one owner to another.

    Times are seconds of the controller's clock, None if not (yet) or not known after a restart.

    Attributes
    ----------
    partition
        Its number.
    source, target
        Consumers, or `NOBODY`.
    epoch, offset
        As in the command to start; those of the stop if nobody owns the partition afterwards.
    stop_s
        When the source was asked to stop.
    stopped_s
        When it had answered, or was fenced.
    start_s
        When the target was asked to start.
    started_s
        When it had answered.
    """

    partition: int
    source: int = NOBODY
    target: int = NOBODY
    epoch: int = 0
    offset: int = 0
    stop_s: float | None = None
    stopped_s: float | None = None
    start_s: float | None = None
    started_s: float | None = None


@dataclass(slots=True)
class Launch:
    """A consumer that the launcher was asked for.

    Attributes
    ----------
    consumer, incarnation
        Slot, and number of the process in it.
    asked_s
        When the launcher was asked, seconds; None before.
    ready_s
        When the consumer's first sign of life was read, seconds; None before.
    """

    consumer: int
    incarnation: int
    asked_s: float | None = None
    ready_s: float | None = None


@dataclass(slots=True)
class Plan:
    """Owners that the partitions are to have.

    Attributes
    ----------
    number
        1, 2, …
    wanted
        Consumer by partition, or `NOBODY`.
    decided_s
        When it was decided, seconds.
    reason, iteration
        For the report.
    order
        Partitions whose moves come first.
    first_command_s
        When its first command to stop or start was committed, seconds; None before.
    completed_s
        When all partitions had been started where they are wanted, seconds; None before.
    moves
        One for each start, and for each stop without a start.
    launches
        Consumers that the launcher was asked for.
    """

    number: int
    wanted: tuple[int, ...]
    decided_s: float
    reason: str = ""
    iteration: int = -1
    order: tuple[int, ...] = ()
    first_command_s: float | None = None
    completed_s: float | None = None
    moves: list[Move] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)

    @property
    def last_started_s(self) -> float | None:
        """When the last partition had been started, seconds; None if none was."""
        return max((m.started_s for m in self.moves if m.started_s is not None), default=None)

    def move_of(self, partition: int, epoch: int) -> Move | None:
        """The move that began a tenure, if this plan did."""
        same = (m for m in self.moves if m.partition == partition and m.epoch == epoch)
        return next(same, None)
