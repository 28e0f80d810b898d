"""Where members of a group that asks reach the run: a loopback socket, answered by threads."""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from live.groups.asked_placements import WRONG
from live.groups.asking_lines import ASK, HELLO, MEMBERS, MOST_BYTES, REJOIN, line, port_file
from live.groups.group_members import Member
from live.groups.scaler_client import HERE
from pipeline.base.process import replaced_file

Answer = Callable[[Sequence[int]], Mapping[int, Sequence[int]]]
"""Partitions by slot, for the slots that are present."""


class AskingServer:
    """Answers the leader's questions at once, and asks members to join again.

    folder: Folder of the run, where it says its port.
    answer: Called in a thread of its own.
    leader: Slot and incarnation of the member that asked last; None before.
    questions: How many there were.
    """

    def __init__(self, folder: Path, answer: Answer) -> None:
        self._answer = answer
        self._lock = threading.Lock()
        self._connections: dict[Member, socket.socket] = {}
        self.leader: Member | None = None
        self.questions = 0
        self._server = _Listener((HERE, 0), _handler(self))
        threading.Thread(
            target=self._server.serve_forever, args=(0.1,), name="asking", daemon=True
        ).start()
        port = self._server.server_address[1]
        replaced_file.write_json(port_file(folder), {"port": port})

    @property
    def connected(self) -> set[Member]:
        """Members whose connections stand."""
        with self._lock:
            return set(self._connections)

    def ask_to_rejoin(self) -> None:
        """Have the leader join again, or all if it is not connected."""
        with self._lock:
            connections = dict(self._connections)
            leader = self.leader
        if leader in connections:
            connections = {leader: connections[leader]}
        for connection in connections.values():
            with suppress(OSError):
                connection.sendall(f"{REJOIN}\n".encode())

    def close(self) -> None:
        """Answer no more, and close all connections."""
        self._server.shutdown()
        self._server.server_close()
        with self._lock:
            connections = list(self._connections.values())
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def answered(self, content: Mapping[str, Any]) -> bytes:
        """The answer to a question. Raises KeyError, or one of `WRONG`, if it is invalid."""
        slot, incarnation = map(int, content[ASK])
        present = sorted({int(row[0]) for row in content[MEMBERS]})
        answer = line({slot: list(numbers) for slot, numbers in self._answer(present).items()})
        with self._lock:
            self.leader = slot, incarnation
            self.questions += 1
        return answer

    def keep(self, member: Member, connection: socket.socket) -> None:
        """A member has said hello."""
        with self._lock:
            self._connections[member] = connection

    def forget(self, member: Member, connection: socket.socket) -> None:
        """A connection has ended."""
        with self._lock:
            if self._connections.get(member) is connection:
                del self._connections[member]


class _Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False


def _handler(server: AskingServer) -> type[socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            member: Member | None = None
            with suppress(OSError, KeyError, *WRONG):
                while data := self.rfile.readline(MOST_BYTES):
                    content = json.loads(data)
                    if HELLO in content:
                        slot, incarnation = map(int, content[HELLO])
                        member = slot, incarnation
                        server.keep(member, self.connection)
                    else:
                        self.wfile.write(server.answered(content))
            if member is not None:
                server.forget(member, self.connection)

    return Handler
