"""What a plan wanted and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field

NOBODY = -1
"""In place of a consumer: none."""


@dataclass(slots=True)
class Move:
    """A partition's move; times in s of the controller's clock, None if not (yet) known."""

    partition: int
    """Its number."""
    source: int = NOBODY
    target: int = NOBODY
    """`source`, `target`: consumers, or `NOBODY`."""
    epoch: int = 0
    offset: int = 0
    """`epoch`, `offset`: those of the command to start, or of the stop if the partition has no
    owner afterwards."""
    stop_s: float | None = None
    """When the source was asked to stop."""
    stopped_s: float | None = None
    """When it had answered, or was fenced."""
    start_s: float | None = None
    """When the target was asked to start."""
    started_s: float | None = None
    """When it had answered."""


@dataclass(slots=True)
class Launch:
    """A consumer that the launcher was asked for."""

    consumer: int
    incarnation: int
    """`consumer`, `incarnation`: slot, and number of the process in it."""
    asked_s: float | None = None
    """When the launcher was asked, seconds; None before."""
    ready_s: float | None = None
    """When the consumer's first sign of life was read, seconds; None before."""


@dataclass(slots=True)
class Plan:
    """Owners that the partitions are to have."""

    number: int
    """1, 2, …"""
    wanted: tuple[int, ...]
    """Consumer by partition, or `NOBODY`."""
    decided_s: float
    """When it was decided, seconds."""
    reason: str = ""
    iteration: int = -1
    """`reason`, `iteration`: for the report."""
    order: tuple[int, ...] = ()
    """Partitions whose moves come first."""
    first_command_s: float | None = None
    """When its first command to stop or start was committed, seconds; None before."""
    completed_s: float | None = None
    """When all partitions had been started where they are wanted, seconds; None before."""
    moves: list[Move] = field(default_factory=list)
    """One for each start, and for each stop without a start."""
    launches: list[Launch] = field(default_factory=list)
    """Consumers that the launcher was asked for."""

    @property
    def last_started_s(self) -> float | None:
        """When the last partition had been started, seconds; None if none was."""
        return max((m.started_s for m in self.moves if m.started_s is not None), default=None)

    def move_of(self, partition: int, epoch: int) -> Move | None:
        """The move that began a tenure, if this plan did."""
        same = (m for m in self.moves if m.partition == partition and m.epoch == epoch)
        return next(same, None)
