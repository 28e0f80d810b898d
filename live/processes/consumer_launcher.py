"""What a group needs of whatever starts its consumers."""

from __future__ import annotations

from typing import Protocol


class Launcher(Protocol):
    """Starts consumers, kills those that are lost, and tells which have ended."""

    def launch(self, consumer: int, incarnation: int) -> None:
        """Start a process, unless this one was started before."""

    def kill(self, consumer: int, incarnation: int) -> None:
        """End a process at once, if it still runs and can be reached."""

    def ended(self) -> list[tuple[int, int, int]]:
        """Consumer, incarnation and exit status of processes that have ended since."""

    def stop(self, grace: float) -> None:
        """End all processes that are to end with the group."""
