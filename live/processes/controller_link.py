"""The run's side of its controller: starts it, does what it asks for, and tells it of ends."""

from __future__ import annotations

import os
import select
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from live.live_settings import LiveSettings
from live.processes import child_processes
from live.processes.child_processes import Child
from live.processes.consumer_launcher import Launcher
from live.processes.line_channel import LineReader, send
from pipeline.base.errors import StageError

CONTROLLER = "live.controller.controller_process"


class ControllerFailed(StageError):
    """The controller has ended before the run was over."""


class ControllerLink:
    """A controller process and the pipes to it.

    rates: File with the rates of the stream.
    ended: Exit status by consumer and incarnation of processes that have ended before: an earlier
        controller may not have heard of them.
    is_ready: Whether the first plan is complete.
    """

    def __init__(
        self,
        settings: LiveSettings,
        file: Path,
        strategy: str,
        rates: Path,
        launcher: Launcher,
        module: str = CONTROLLER,
        ended: Mapping[tuple[int, int], int] | None = None,
    ) -> None:
        self._launcher = launcher
        self.is_ready = False
        self._why = ""
        theirs_in, self._to = os.pipe()
        from_them, theirs_out = os.pipe()
        self._from, self._reader = from_them, LineReader(from_them)
        arguments: list[str | Path] = [file, strategy, rates, str(theirs_in), str(theirs_out)]
        log = Path(settings.folder) / "logs" / "controller.log"
        descriptors = (theirs_in, theirs_out)
        try:
            self.child = child_processes.start_module(
                module, arguments, "controller", log, descriptors
            )
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        for (consumer, incarnation), status in (ended or {}).items():
            self._tell({"exited": [consumer, incarnation, status]})

    @property
    def children(self) -> Sequence[Child]:
        """Processes to end besides the launcher's."""
        return (self.child,)

    @property
    def status(self) -> int | None:
        """Exit status of the controller; None while it runs."""
        return self.child.status()

    def begin(self, began_ns: int) -> None:
        """Tell when the run begins."""
        self._tell({"began_ns": began_ns})

    def finish(self) -> None:
        """Have it end all consumers, and then itself."""
        self._tell({"over": True})

    def turn(self, wait_s: float) -> None:
        """Wait, then do what it asks for. Raises ControllerFailed if it cannot go on."""
        select.select([self._from], [], [], wait_s)
        for message in self._reader.arrived():
            if "launch" in message:
                self._launcher.launch(*message["launch"])
            if "kill" in message:
                self._launcher.kill(*message["kill"])
            self.is_ready |= "ready" in message
            self._why = message.get("failed", self._why)
        for consumer, incarnation, status in self._launcher.ended():
            self._tell({"exited": [consumer, incarnation, status]})
        if self._why or self.status not in (None, 0):
            raise ControllerFailed(f"the controller has ended: {self._why or self.child.why()}")

    def has_caught_up(self, counted: bool) -> bool:
        """Whether nothing is left to process: consumers write progress after their evidence."""
        return counted

    def close(self) -> None:
        """Close the pipes."""
        for descriptor in (self._to, self._from):
            with suppress(OSError):
                os.close(descriptor)

    def _tell(self, message: dict[str, object]) -> None:
        with suppress(BrokenPipeError):
            send(self._to, message)
