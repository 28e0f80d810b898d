"""Messages between a process and its child: one JSON object a line, over the child's pipes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

_CHUNK = 65_536


class LineReader:
    """Reads what has arrived in a pipe, whose descriptor becomes non-blocking."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._rest = b""
        self.is_closed = False

    def arrived(self) -> list[dict[str, Any]]:
        """Messages since the last call; `is_closed` is true once the other side has gone."""
        while not self.is_closed:
            try:
                data = os.read(self._descriptor, _CHUNK)
            except BlockingIOError:
                break
            self.is_closed = not data
            self._rest += data
        *lines, self._rest = self._rest.split(b"\n")
        return [json.loads(line) for line in lines]


def send(descriptor: int, message: Mapping[str, Any]) -> None:
    """Write a message below a pipe's buffer, whole. Raises BrokenPipeError if no one reads."""
    os.write(descriptor, json.dumps(message).encode() + b"\n")
