"""How members of a group that asks talk with the run: lines of JSON over a loopback socket.

- ``{"hello": [SLOT, INCARNATION]}``: the connection stays; each line that comes back, ``rejoin``,
  asks the member to join again.
- ``{"ask": [SLOT, INCARNATION], "members": [[SLOT, INCARNATION, PARTITIONS], …]}`` by the group's
  leader, with what each member has: the answer is ``{"SLOT": PARTITIONS, …}``.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterable
from pathlib import Path

from live.groups.asked_placements import WRONG, GroupMember
from live.groups.keda_trigger import NoAnswer
from live.groups.scaler_client import HERE

LIMIT_S = 0.3
"""Time limit of a question, seconds: a member that waits for it sends no heartbeats."""

HELLO, ASK, MEMBERS, REJOIN = "hello", "ask", "members", "rejoin"

MOST_BYTES = 1_000_000
"""Longest line."""


def port_file(folder: Path) -> Path:
    """File in which the run says where it listens."""
    return folder / "asking.json"


def line(content: object) -> bytes:
    """A message as it is sent."""
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def connect(file: Path, limit_s: float) -> socket.socket:
    """Connect to the run. Raises NoAnswer if it does not listen."""
    try:
        port = int(json.loads(file.read_text(encoding="utf-8"))["port"])
        return socket.create_connection((HERE, port), timeout=limit_s)
    except (OSError, KeyError, *WRONG) as error:
        raise NoAnswer(f"the run does not listen: {error}") from None


def ask(
    file: Path, slot: int, incarnation: int, members: Iterable[GroupMember], limit_s: float
) -> object:
    """Ask for a placement; returns what the answer says. Raises NoAnswer if none comes in time."""
    until = time.monotonic() + limit_s
    rows = [[one.slot, one.incarnation, one.owned] for one in members]
    with connect(file, limit_s) as connection:
        try:
            connection.settimeout(_left(until))
            connection.sendall(line({ASK: [slot, incarnation], MEMBERS: rows}))
            return json.loads(_read(connection, until))
        except (OSError, *WRONG) as error:
            raise NoAnswer(f"no answer: {error}") from None


def _read(connection: socket.socket, until: float) -> bytes:
    """The first line. Raises OSError if it is not complete in time."""
    data = b""
    while b"\n" not in data and len(data) < MOST_BYTES:
        connection.settimeout(_left(until))
        more = connection.recv(65_536)
        if not more:
            raise OSError("the connection was closed")
        data += more
    return data


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left
