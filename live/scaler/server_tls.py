"""Certificates of the servers that KEDA asks; changed files are used without a restart.

The files are read again when a client connects, not more often than `READ_AGAIN_S`.
"""

from __future__ import annotations

import hashlib
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.base.errors import InputError

READ_AGAIN_S = 10.0
"""Least time between two readings, seconds."""

_MOST_BYTES = 2**20


@dataclass(frozen=True)
class TlsFiles:
    """Files in PEM."""

    cert: Path
    """The servers' certificate, followed by those of authorities between it and the root."""
    key: Path
    client_ca: Path | None
    """Authorities of clients, which must then show a certificate."""


class _Content(NamedTuple):
    cert: bytes
    key: bytes
    client_ca: bytes | None


class ServerTls:
    """What handshakes need, from files as they are now.

    If they cannot be used any more, such as a new certificate whose key is still the old one, the
    last ones that could hold.

    now_s: A clock that does not jump, seconds.
    log: Writes a line with some fields.
    Raises InputError if they cannot be used at the start.
    """

    def __init__(
        self, files: TlsFiles, now_s: Callable[[], float], log: Callable[..., None]
    ) -> None:
        self._files, self._now_s, self._log = files, now_s, log
        self._lock = threading.Lock()
        self._read_s = now_s()
        self._content = _read(files)
        self._context = _context(files)
        self._refused = ""

    def context(self) -> ssl.SSLContext:
        """For a connection over HTTP."""
        with self._lock:
            self._refresh()
            return self._context

    def credentials(self) -> Any:
        """For a server of gRPC, which asks for changes at each connection."""
        import grpc

        sent = self._content

        def changed() -> Any:
            nonlocal sent
            with self._lock:
                self._refresh()
                content = self._content
            if content == sent:
                return None
            sent = content
            return _grpc_configuration(content)

        return grpc.dynamic_ssl_server_credentials(
            _grpc_configuration(sent), changed, sent.client_ca is not None
        )

    def _refresh(self) -> None:
        now_s = self._now_s()
        if now_s - self._read_s < READ_AGAIN_S:
            return
        self._read_s = now_s
        try:
            content = _read(self._files)
            if content == self._content:
                self._refused = ""
                return
            context = _context(self._files)
            if _read(self._files) != content:
                # They are being written.
                return
        except InputError as error:
            if str(error) != self._refused:
                self._refused = str(error)
                self._log("tls", error=f"{error}; the certificate read before is kept")
            return
        self._content, self._context, self._refused = content, context, ""
        self._log("tls", certificate=hashlib.sha256(content.cert).hexdigest()[:16])


def _read(files: TlsFiles) -> _Content:
    client_ca = None
    if files.client_ca is not None:
        client_ca = _read_file("client_ca", files.client_ca)
    return _Content(_read_file("cert", files.cert), _read_file("key", files.key), client_ca)


def _read_file(key: str, file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "not a file").lower()
        raise InputError(f"`tls.{key}` cannot be read ({reason}): {file}") from None
    if len(content) > _MOST_BYTES:
        raise InputError(f"`tls.{key}` must be a file of at most 1 MiB: {file}")
    return content


def _context(files: TlsFiles) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # A key with a password would be asked for at the terminal.
        context.load_cert_chain(files.cert, files.key, password=lambda: "")
    except (OSError, ValueError):
        raise InputError(
            f"`tls.cert` and `tls.key` must be a certificate and its key without a password, both "
            f"as PEM (got {files.cert} and {files.key})"
        ) from None
    if files.client_ca is None:
        return context
    context.verify_mode = ssl.CERT_REQUIRED
    try:
        context.load_verify_locations(files.client_ca)
    except (OSError, ValueError):
        raise InputError(
            f"`tls.client_ca` must have certificates of authorities as PEM (got {files.client_ca})"
        ) from None
    return context


def _grpc_configuration(content: _Content) -> Any:
    import grpc

    return grpc.ssl_server_certificate_configuration(
        [(content.key, content.cert)], root_certificates=content.client_ca
    )
