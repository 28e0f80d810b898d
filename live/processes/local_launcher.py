"""Consumers as child processes of the run."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

from live.live_settings import LiveSettings
from live.processes import child_processes
from live.processes.child_processes import Child

CONSUMER = "live.consumer.consumer_process"

BROKEN = ("sleep", "1")
"""Program of a consumer that does not start: it ends soon, and is never ready."""


class LocalLauncher:
    """Starts consumers, kills those that are lost, and tells which have ended.

    further: Its arguments after the settings, the consumer and the incarnation.
    module: What consumers run from now on.
    keeps_lost: Whether processes that are lost go on: fencing must do then, as for consumers
        elsewhere.
    broken: Consumers that do not start from now on: their processes end before they are ready.
    statuses: Exit status by consumer and incarnation, of all that have ended.
    """

    def __init__(
        self,
        settings: LiveSettings,
        file: Path,
        module: str = CONSUMER,
        further: Sequence[str] = (),
    ) -> None:
        self.module, self._further = module, further
        self._logs = Path(settings.folder) / "logs"
        self._file = file
        self._running: dict[tuple[int, int], Child] = {}
        self._launched: set[tuple[int, int]] = set()
        self.keeps_lost = False
        self.broken: set[int] = set()
        self.statuses: dict[tuple[int, int], int] = {}

    def launch(self, consumer: int, incarnation: int) -> None:
        """Start a process, unless this one was started before."""
        key = consumer, incarnation
        if key in self._launched:
            return
        self._launched.add(key)
        name = f"consumer {consumer}, incarnation {incarnation}"
        log = self._logs / f"c{consumer}-{incarnation}.log"
        arguments: list[str | Path] = [
            *(self._file, str(consumer), str(incarnation)),
            *self._further,
        ]
        if consumer in self.broken:
            self._running[key] = child_processes.start(BROKEN, name, log)
        else:
            self._running[key] = child_processes.start_module(self.module, arguments, name, log)

    def kill(self, consumer: int, incarnation: int) -> None:
        """End a process at once, if it still runs."""
        child = self._running.get((consumer, incarnation))
        if child is not None and not self.keeps_lost:
            child_processes.kill([child])

    def send(self, consumer: int, incarnation: int, number: signal.Signals) -> None:
        """Send a signal to a process that runs."""
        self._running[consumer, incarnation].send(number)

    def running(self) -> list[tuple[int, int]]:
        """Consumer and incarnation of the processes that run."""
        return sorted(self._running)

    def ended(self) -> list[tuple[int, int, int]]:
        """Consumer, incarnation and exit status of processes that have ended since."""
        ended = []
        for (consumer, incarnation), child in list(self._running.items()):
            status = child.status()
            if status is not None:
                del self._running[consumer, incarnation]
                self.statuses[consumer, incarnation] = status
                ended.append((consumer, incarnation, status))
        return ended

    def stop(self, grace: float) -> None:
        """End all processes."""
        child_processes.stop(self._running.values(), grace)
        self._running.clear()
