"""Process of a pod: ``python -m … SETTINGS.json POD MODULE``.

It stands by until the controller asks for the consumer that the pod's number is, runs it as
``python -m MODULE SETTINGS.json SLOT INCARNATION``, and stands by again when that has ended.
SIGTERM ends both.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from live import live_settings
from live.kubernetes.launch_orders import LaunchOrders
from pipeline.base.process import signals

WAIT_S = 1.0
"""Longest wait for an order without a look at signals, seconds."""


class StandingConsumer:
    """Starts a consumer whenever the controller asks for it, by the group's settings file."""

    def __init__(self, file: Path, slot: int, module: str) -> None:
        self._file, self._slot, self._module = file, slot, module
        self._child: subprocess.Popen[bytes] | None = None
        self._is_over = False

    def stop(self) -> None:
        """Ask `run` to end its consumer and return; may be called by a handler of a signal."""
        self._is_over = True
        if self._child is not None:
            self._child.send_signal(signal.SIGTERM)

    def run(self) -> None:
        """Work until `stop` is called."""
        settings = live_settings.load(self._file)
        Path(settings.folder, "evidence").mkdir(parents=True, exist_ok=True)
        orders = LaunchOrders(settings, self._slot)
        last = 0
        while not self._is_over:
            incarnation = orders.next(last, WAIT_S)
            if incarnation is not None and not self._is_over:
                last = incarnation
                status = self._consume(incarnation)
                print(f"consumer {self._slot}, incarnation {last}: status {status}", flush=True)
        orders.close()

    def _consume(self, incarnation: int) -> int:
        """Run an incarnation to its end; returns its status."""
        arguments = (str(self._file), str(self._slot), str(incarnation))
        self._child = subprocess.Popen([sys.executable, "-m", self._module, *arguments])
        if self._is_over:  # The signal came while it was started.
            self._child.send_signal(signal.SIGTERM)
        status = self._child.wait()
        self._child = None
        return status


def slot_of(pod: str) -> int:
    """Number of a pod of a StatefulSet, from its name.

    >>> slot_of("orders-consumers-12")
    12
    """
    return int(pod.rpartition("-")[2])


def main(arguments: list[str]) -> int:
    """Stand by until a signal comes; returns the status of the process."""
    consumer = StandingConsumer(Path(arguments[0]), slot_of(arguments[1]), arguments[2])
    signals.call(consumer.stop)
    consumer.run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
