"""Faulty tracking servers on loopback."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tools.services import credentials, mlflow_access
from tools.services.service_topology import WITH_USERS, WITHOUT_LANGUAGE_MODELS


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def silent() -> Iterator[str]:
    """A server that takes connections and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


PASSWORD = "of-this-tracking-server"
LOGIN = credentials.for_mlflow_client({credentials.MLFLOW: PASSWORD})
"""Environment with the credentials of a real tracking server."""


@contextmanager
def mlflow(folder: Path, port: int) -> Iterator[str]:
    """A real tracking server that requires the password."""
    uri = f"http://127.0.0.1:{port}"
    options = ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    options += ["--backend-store-uri", f"sqlite:///{folder}/server.db"]
    options += ["--artifacts-destination", f"{folder}/artifacts", *WITH_USERS]
    users = folder / "users.ini"
    users.write_text(mlflow_access.users(f"sqlite:///{folder}/users.db", PASSWORD))
    message = {"MLFLOW_AUTH_CONFIG_PATH": str(users), "MLFLOW_FLASK_SERVER_SECRET_KEY": "pages"}
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "mlflow", "server", *options],
            env=os.environ | WITHOUT_LANGUAGE_MODELS | message,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        _wait(uri, server)
        yield uri
    finally:
        os.killpg(server.pid, 15)
        server.wait(20)


def _wait(uri: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert server.poll() is None
        try:
            urllib.request.urlopen(f"{uri}/health", timeout=2).read()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError("the tracking server does not start")


class Ill(ThreadingHTTPServer):
    """Answers 500 as long as `ill` is set, then what a real server answers."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        self.port, self.ill, self.refused = port, True, 0
        super().__init__(("127.0.0.1", 0), _Forward)

    @property
    def uri(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Forward(BaseHTTPRequestHandler):
    server: Ill

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.server.ill:
            self.server.refused += 1
            self._send(500, b"out of order", "text/plain")
            return
        behind = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        kept = {k: v for k, v in self.headers.items() if k.lower() != "host"}
        behind.request(self.command, self.path, body, kept)
        answer = behind.getresponse()
        self._send(answer.status, answer.read(), answer.getheader("Content-Type", "text/plain"))
        behind.close()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def ill(port: int) -> Iterator[Ill]:
    """A faulty server in front of a real one at a port."""
    server = Ill(port)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
