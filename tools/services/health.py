"""Health of a service, checked the way its users access it.

``python -m tools.services.health NAME`` checks once, for the health checks of
`docker/compose.yaml`.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import urllib.request
from collections.abc import Callable
from datetime import datetime
from typing import Any

from tools.services.service_topology import BY_NAME, DATABASES, Port

SECONDS = 5.0
PROTOCOL, ASKS_FOR_PASSWORD = 196608, b"R"
HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HTTP2_NO_SETTINGS = b"\0\0\0\4\0\0\0\0\0"
"""A frame of settings: length, type 4, flags, stream."""

Address = Callable[[str, Port], tuple[str, int]]
"""Host and port of a service for a check, by its name and one of its ports."""


def problem(name: str, address: Address, since: float = 0.0) -> str | None:
    """Why a service is unhealthy, None if not; heartbeats before ``since`` do not count."""
    health = BY_NAME[name].health
    asked = BY_NAME[health.of or name]
    try:
        if health.kind in ("postgres", "grpc"):
            check = _postgres if health.kind == "postgres" else _grpc
            return check(*address(name, asked.ports[0]))
        host, port = address(asked.name, asked.ports[-1])
        if health.kind == "heartbeat":
            answer = get(f"http://{host}:{port}{asked.health.path}")
            return _heartbeat(json.loads(answer), health.path, since)
        get(f"http://{host}:{port}{health.path}")
        return None
    except (OSError, ValueError) as error:
        return f"no response ({getattr(error, 'strerror', None) or error})"


def get(page: str | urllib.request.Request) -> bytes:
    """Response of a page, ignoring proxy settings."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(page, timeout=SECONDS) as response:
        content: bytes = response.read()
        return content


def moment(text: str) -> float:
    """A time reported by Airflow, in seconds since 1970."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def _postgres(host: str, port: int) -> str | None:
    """Begin to log in; a server that is starting or shutting down refuses at once."""
    words = b"".join(f"{key}\0{DATABASES[0]}\0".encode() for key in ("user", "database"))
    message = struct.pack(">I", PROTOCOL) + words + b"\0"
    with socket.create_connection((host, port), timeout=SECONDS) as connection:
        connection.sendall(struct.pack(">I", len(message) + 4) + message)
        return None if connection.recv(1024)[:1] == ASKS_FOR_PASSWORD else "refuses connections"


def _grpc(host: str, port: int) -> str | None:
    """Begin an HTTP/2 connection; a server answers with its settings."""
    with socket.create_connection((host, port), timeout=SECONDS) as connection:
        connection.sendall(HTTP2_PREFACE + HTTP2_NO_SETTINGS)
        answer = connection.recv(1024)
    return None if answer[3:4] == HTTP2_NO_SETTINGS[3:4] else "does not speak HTTP/2"


def _heartbeat(health: dict[str, Any], component: str, since: float) -> str | None:
    """Whether Airflow has heard of a component after it was started."""
    state = health.get(component) or {}
    last = state.get(f"latest_{component}_heartbeat")
    if state.get("status") != "healthy" or not last:
        return f"no heartbeat (status {state.get('status')})"
    if moment(last) < since:
        return "no heartbeat yet"
    return None


def main(name: str) -> int:
    """Check inside Docker Compose's network, where a service's host is its name."""
    from tools.services.service_topology import in_compose

    message = problem(name, in_compose)
    if message:
        print(message)
    return 1 if message else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
