"""Certificates for servers on this machine, made by openssl."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path
from typing import NamedTuple

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


class Signed(NamedTuple):
    """A certificate and its key, as PEM."""

    certificate: Path
    key: Path

    def context(self, clients: Path | None = None) -> ssl.SSLContext:
        """What a server needs; it asks for certificates of clients if an authority is named."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        if clients is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(clients)
        return context


def authority(folder: Path, name: str) -> Signed:
    """An authority."""
    signed = _files(folder, name)
    days = ("-x509", "-days", "2")
    _openssl("req", *days, *_KEY, *_out(signed), "-subj", f"/CN={name}")
    return signed


def certificate(
    folder: Path, name: str, host: str, by: Signed, days: int = 2, others: tuple[str, ...] = ()
) -> Signed:
    """A certificate of a host; a negative number of days is one that has expired.

    others: Further hosts.
    """
    signed, request, extension = _files(folder, name), folder / f"{name}.csr", folder / "names"
    _openssl("req", *_KEY, "-keyout", signed.key, "-out", request, "-subj", f"/CN={host}")
    names = ",".join(f"DNS:{each}" for each in (host, *others))
    extension.write_text(f"subjectAltName={names}\n")
    own = ("-in", request, "-out", signed.certificate, "-days", days, "-extfile", extension)
    _openssl("x509", "-req", *own, "-CA", by.certificate, "-CAkey", by.key, "-CAcreateserial")
    return signed


def _files(folder: Path, name: str) -> Signed:
    return Signed(folder / f"{name}.pem", folder / f"{name}.key")


def _out(signed: Signed) -> tuple[object, ...]:
    return ("-keyout", signed.key, "-out", signed.certificate)


def _openssl(*words: object) -> None:
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, timeout=30)
