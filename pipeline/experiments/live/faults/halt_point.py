"""Moments of a controller's work, and the file by which a script has it stop at one of them.

A controller that killed itself would fail its run before another one could take over. It stops
there instead, as for SIGSTOP, and the script kills it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path

OBSERVE, RECOVER, DECIDE, ASK, ASKED = "observe", "recover", "decide", "ask", "asked"


def is_open(kind: str) -> str:
    """Moment at which commands of a kind are written, and their transaction is open."""
    return f"{kind} open"


def is_committed(kind: str) -> str:
    """Moment at which the transaction with commands of a kind is committed."""
    return f"{kind} committed"


MOMENTS: Mapping[str, str] = {
    OBSERVE: "observe: all partitions are where they are wanted",
    RECOVER: "recover: topic `state` is read, and no consumer is asked again yet",
    DECIDE: "decide: a plan is made, and nothing of it is committed",
    ASK: "create: the plan is committed, and the launcher is not asked for its new consumer yet",
    ASKED: "create: the launcher is asked",
    is_open("stop"): "migrate: the transaction with the first `stop` is open",
    is_committed("stop"): "migrate: it is committed",
    is_open("start"): "migrate: the transaction with a `start` is open",
    is_committed("start"): "migrate: it is committed",
    is_open("end"): "retire: the transaction with an `end` is open",
    is_committed("end"): "retire: it is committed",
}
"""Moments in every state of the controller, in the order in which a script kills it there."""


class HaltPoint:
    """The moment at which the controllers of a run stop."""

    def __init__(self, folder: Path) -> None:
        self._wanted, self._reached = folder / "halt", folder / "halted"

    @property
    def is_reached(self) -> bool:
        """Whether a controller has stopped at the moment that was requested last."""
        return self._reached.exists()

    def request(self, moment: str) -> None:
        """Have the next controller stop that comes to a moment."""
        self._reached.unlink(missing_ok=True)
        self._wanted.write_text(moment, encoding="utf-8")

    def withdraw(self) -> None:
        """Have no controller stop any more."""
        self._wanted.unlink(missing_ok=True)

    def is_requested(self, moment: str) -> bool:
        """Whether a controller is to stop at this moment."""
        return self._wanted.exists() and self._wanted.read_text(encoding="utf-8") == moment

    def passed(self, moment: str) -> None:
        """Stop this process with all its threads, if it is to stop at this moment."""
        if self.is_requested(moment):
            self._wanted.rename(self._reached)
            os.kill(os.getpid(), signal.SIGSTOP)
