"""HTTP: ``GET /v1/NAMESPACE/NAME`` on one port, ``/healthz``, ``/readyz``, ``/metrics`` on another.

No answer waits for a broker, and health does not depend on one.
"""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from live.scaler import scaler_metrics
from live.scaler.asked_targets import AskedTargets, Refused
from live.scaler.listen_address import Address
from live.scaler.scaled_target import ScaledTarget
from live.scaler.server_tls import ServerTls
from pipeline.base.errors import InputError

IDLE_S = 60.0
"""Time after which a connection without a request is closed, seconds."""

_HANDSHAKE_S = 10.0

MOST_CONNECTIONS = 100
"""Connections at once, on each port."""

_JSON, _TEXT = "application/json", "text/plain; version=0.0.4; charset=utf-8"


class Page(NamedTuple):
    """What a request gets."""

    status: HTTPStatus
    kind: str
    body: str


Pages = Callable[[str], Page]
"""Page of a path."""


def replica_pages(asked: AskedTargets) -> Pages:
    """Counts of groups; a namespace that is not allowed is refused."""

    def page(path: str) -> Page:
        parts = path.partition("?")[0].split("/")
        if len(parts) != 4 or parts[:2] != ["", "v1"]:
            return _error(HTTPStatus.NOT_FOUND, "the path must be /v1/NAMESPACE/NAME")
        namespace, name = parts[2:]
        try:
            count = asked.count(asked.find(namespace, name))
        except Refused as refused:
            return _error(refused.status, str(refused))
        return Page(HTTPStatus.OK, _JSON, json.dumps({"replicas": count}))

    return page


def _error(status: HTTPStatus, said: str) -> Page:
    return Page(status, _JSON, json.dumps({"error": said}, ensure_ascii=False))


def health_pages(targets: Mapping[str, ScaledTarget]) -> Pages:
    """Whether the process works, and its figures."""

    def page(path: str) -> Page:
        if path in ("/healthz", "/readyz"):
            return Page(HTTPStatus.OK, _TEXT, "ok\n")
        if path == "/metrics":
            return Page(HTTPStatus.OK, _TEXT, scaler_metrics.text(targets.values()))
        return _error(HTTPStatus.NOT_FOUND, "the path must be /healthz, /readyz or /metrics")

    return page


class AnswerServer(ThreadingHTTPServer):
    """Listens from the start; `serve_in_thread` answers, in threads of its own.

    tls: None: plaintext.
    Raises InputError if the address cannot be listened on.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self, option: str, at: Address, pages: Pages, tls: ServerTls | None = None
    ) -> None:
        self._tls = tls
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self.pages = pages
        self.address_family = socket.AF_INET6 if ":" in at.host else socket.AF_INET
        try:
            super().__init__((at.host, at.port), _Handler)
        except OSError as error:
            reason = (error.strerror or "not an address").lower()
            raise InputError(
                f"`{option}` cannot be listened on ({reason}): {at.host}:{at.port}; choose "
                "another address"
            ) from None

    def server_bind(self) -> None:
        """Bind without asking for this host's name, which can take seconds."""
        socketserver.TCPServer.server_bind(self)
        host, port, *_ = self.server_address
        self.server_name, self.server_port = str(host), int(port)

    def serve_in_thread(self) -> None:
        """Answer from now on."""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, or close a connection that is one too many."""
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and free the connection's place."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection, after its handshake if there is TLS."""
        if self._tls is None:
            super().finish_request(request, client_address)
            return
        request.settimeout(_HANDSHAKE_S)
        with self._tls.context().wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is none of our errors."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "groupscale", ""
    timeout = IDLE_S
    # Head and body in one packet: the second of two would wait 40 ms for the first one's receipt.
    wbufsize = -1
    server: AnswerServer

    def do_GET(self) -> None:
        page = self.server.pages(self.path)
        body = page.body.encode()
        self.send_response(page.status)
        self.send_header("Content-Type", page.kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """KEDA asks every few seconds: only decisions are logged."""
