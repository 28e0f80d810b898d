"""Servers on the loopback address that keep what they are sent."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Post(NamedTuple):
    """One request."""

    path: str
    headers: dict[str, str]
    content: Any


class Webhook:
    """Requests to a webhook, and its responses: one status after the other, then the last."""

    def __init__(self, *statuses: int) -> None:
        self.posts: list[Post] = []
        self.statuses = list(statuses or (204,))
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/services/T0/secret-part"


@contextmanager
def webhook(*statuses: int) -> Iterator[Webhook]:
    """An HTTP server that takes JSON."""
    kept = Webhook(*statuses)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept.posts.append(Post(self.path, dict(self.headers), json.loads(body)))
            self.send_response(kept.statuses[min(len(kept.posts), len(kept.statuses)) - 1])
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    with _serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as kept.port:
        yield kept


class Mailbox:
    """What a mail server was sent."""

    def __init__(self) -> None:
        self.mails: list[str] = []
        self.port = 0


@contextmanager
def mailbox() -> Iterator[Mailbox]:
    """A mail server that accepts any mail."""
    kept = Mailbox()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 here")
            for line in self.rfile:
                word = line.decode().split(maxsplit=1)[0].upper()
                if word == "DATA":
                    self._say("354 go on")
                    lines = iter(lambda: self.rfile.readline().decode(), ".\r\n")
                    kept.mails.append("".join(lines))
                self._say("221 bye" if word == "QUIT" else "250 fine")

        def _say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

    with _serving(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)) as kept.port:
        yield kept


@contextmanager
def _serving(server: socketserver.TCPServer) -> Iterator[int]:
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
