"""The controller's side of the launcher: it asks for consumers, and learns of their ends.

The launcher lives in the process of the run, so that consumers outlive a controller.
"""

from __future__ import annotations

import time
from collections.abc import Collection

from live.processes.line_channel import LineReader, send

LOOK_S = 0.005
"""Time between two looks for the ends of processes, seconds."""


class LauncherGone(Exception):
    """The process of the run has ended."""


class LauncherChannel:
    """Pipes to and from the launcher.

    began_ns: When the run began, by its clock; 0 before.
    is_over: Whether the controller is to end all consumers, and then itself.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self._reader, self._writing = LineReader(reading), writing
        self.began_ns = 0
        self.is_over = False
        self._exits: list[tuple[int, int, int]] = []
        self._ended: set[tuple[int, int]] = set()

    def look(self) -> None:
        """Take what the launcher has said. Raises LauncherGone if it has ended."""
        for message in self._reader.arrived():
            if "exited" in message:
                consumer, incarnation, status = message["exited"]
                self._exits.append((consumer, incarnation, status))
                self._ended.add((consumer, incarnation))
            self.began_ns = message.get("began_ns", self.began_ns)
            self.is_over |= "over" in message
        if self._reader.is_closed:
            raise LauncherGone

    def exits(self) -> list[tuple[int, int, int]]:
        """Consumer, incarnation and exit status of processes that have ended since."""
        self.look()
        exits, self._exits = self._exits, []
        return exits

    def launch(self, consumer: int, incarnation: int) -> None:
        """Ask for a process; asking again for the same one does nothing."""
        send(self._writing, {"launch": [consumer, incarnation]})

    def kill(self, consumer: int, incarnation: int) -> None:
        """Ask for the end of a process that is lost."""
        send(self._writing, {"kill": [consumer, incarnation]})

    def have_ended(self, processes: Collection[tuple[int, int]], seconds: float) -> bool:
        """Whether processes have ended, or do in time; what `exits` returns stays."""
        until = time.monotonic() + seconds
        self.look()
        while not self._ended.issuperset(processes):
            if time.monotonic() > until:
                return False
            time.sleep(LOOK_S)
            self.look()
        return True

    def ready(self) -> None:
        """Say that the first plan is complete: the run may begin."""
        send(self._writing, {"ready": True})

    def failed(self, message: str) -> None:
        """Say why the controller ends."""
        send(self._writing, {"failed": message})
