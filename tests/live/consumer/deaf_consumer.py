"""A consumer that hears no command any more after SIGUSR1, but goes on otherwise.

It runs as `consumer_process` does, and still shows that it lives.
"""

from __future__ import annotations

import signal

from live.consumer import consumer_process
from live.consumer.command_reader import CommandReader
from live.protocol.messages import Command

take = CommandReader.take


def take_nothing(self: CommandReader, wait_s: float = 0.0) -> list[Command]:
    """Read the commands, and lose them."""
    take(self, wait_s)
    return []


if __name__ == "__main__":
    signal.signal(
        signal.SIGUSR1, lambda number, frame: setattr(CommandReader, "take", take_nothing)
    )
    consumer_process.serve()
