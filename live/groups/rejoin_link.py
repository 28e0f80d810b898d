"""A member's connection to the run, over which it is asked to join its group again."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from pathlib import Path

from live.groups import asking_lines
from live.groups.keda_trigger import NoAnswer

RETRY_S, CONNECT_S = 0.5, 0.1
"""Time between two attempts to connect, and time limit of each, seconds."""


class RejoinLink:
    """A connection that is made again when it is lost.

    file: Where the run says where it listens.
    """

    def __init__(self, file: Path, slot: int, incarnation: int) -> None:
        self._file, self._hello = file, asking_lines.line({asking_lines.HELLO: [slot, incarnation]})
        self._connection: socket.socket | None = None
        self._next_s = 0.0

    def is_asked(self) -> bool:
        """Whether the member is to join again, as asked since the last call; does not wait."""
        connection = self._connected()
        if connection is None:
            return False
        try:
            data = connection.recv(65_536)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.close()
        return b"\n" in data

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> socket.socket | None:
        if self._connection is None and time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + RETRY_S
            with suppress(NoAnswer, OSError):
                connection = asking_lines.connect(self._file, CONNECT_S)
                connection.sendall(self._hello)
                connection.setblocking(False)
                self._connection = connection
        return self._connection
