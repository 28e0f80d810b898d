"""Process of a consumer that hangs for good when it gets SIGUSR1: as `consumer_process`."""

from __future__ import annotations

import signal
from types import FrameType

from live.consumer import consumer_process


def hang(number: int, frame: FrameType | None) -> None:
    """Stand still, as in a call that never returns; other threads go on."""
    while True:
        signal.pause()


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, hang)
    consumer_process.serve()
