"""Processes of the command on a cluster."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SAID_S = 40.0


class LiveCommand:
    """``groupscale live …`` in a process of its own; its output goes to files."""

    def __init__(self, folder: Path, *words: str | Path) -> None:
        self._out, self._err = folder / "stdout.txt", folder / "stderr.txt"
        environment = {**os.environ, "GROUPSCALE_HOME": str(folder), "COLUMNS": "200"}
        with self._out.open("w") as out, self._err.open("w") as err:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pipeline.cli.app", "live", *map(str, words)],
                stdout=out,
                stderr=err,
                env=environment,
            )

    @property
    def out(self) -> str:
        return self._out.read_text()

    @property
    def err(self) -> str:
        return self._err.read_text()

    def wait_until(self, holds: Callable[[], bool]) -> None:
        until = time.monotonic() + SAID_S
        while not holds():
            assert time.monotonic() < until, (self.out, self.err)
            assert self._process.poll() is None, (self.out, self.err)
            time.sleep(0.1)

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def status(self) -> int:
        return self._process.wait(SAID_S)
