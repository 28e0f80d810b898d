"""Where a server listens: read before anything else is loaded."""

from __future__ import annotations

from typing import NamedTuple

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named


class Address(NamedTuple):
    """Where to listen."""

    host: str
    port: int


class Addresses(NamedTuple):
    """Where the scaler listens."""

    http: Address
    health: Address
    grpc: Address | None = None


def address(option: str, text: str) -> Address:
    """An address ``HOST:PORT``. Raises InputError if it is none."""
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit() and int(port) < 2**16):
        raise InputError(
            f"`{option}` must be HOST:PORT, such as 127.0.0.1:6000 (got {named(text)})"
        )
    return Address(host.strip("[]"), int(port))
