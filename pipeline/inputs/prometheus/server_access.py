"""Address of a Prometheus, and the login that it requires."""

from __future__ import annotations

import ipaddress
import re
import ssl
import stat
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from pipeline.base.errors import InputError
from pipeline.base.text import addresses
from pipeline.inputs.traces import files

PREFIX = "prometheus:"
"""What an address of a Prometheus begins with, in place of a file."""

_EXAMPLE = f"{PREFIX}http://HOST:9090"
_MOST_BYTES = 65_536
_BEARER = "Bearer "
_MARKS = "!-_.*'()|"
_TENANT = re.compile(rf"[A-Za-z0-9{re.escape(_MARKS)}]{{1,150}}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Login:
    """A token, or a name and a password. No text of the object has them."""

    user: str | None = None
    """None for a token."""
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Server:
    """Where a Prometheus is, and how to talk to it."""

    url: str
    """Address of the API without the last slash; it holds no password."""
    login: Login | None = None
    ca: Path | None = None
    """Certificates of authorities that its certificate may be signed by; None for known ones."""
    tenant: str | None = None
    """Whose series are asked for, where a server keeps those of several tenants."""

    @property
    def source(self) -> str:
        """What answers depend on besides the query."""
        return self.url if self.tenant is None else f"{self.url} {self.tenant}"

    @property
    def place(self) -> str:
        """The server in messages."""
        return f"Prometheus at {addresses.shown(self.url)}"


def server(address: str, auth: Path | None, ca: Path | None, tenant: str | None = None) -> Server:
    """The Prometheus at an address.

    address: `PREFIX` and a URL.
    auth: File with a token, or with ``user:password``.
    ca: File with certificates, as PEM.
    tenant: Name of a tenant.
    Raises InputError if the address is none, a file cannot be used, or a login would be readable
        on its way.
    """
    url = address.removeprefix(PREFIX).rstrip("/")
    parts = _parts(url)
    if ca is not None and parts.scheme != "https":
        raise InputError("--ca needs an address that begins with https://")
    login = None if auth is None else read_login(auth)
    if login is not None and parts.scheme != "https" and not is_loopback(parts.hostname or ""):
        raise InputError(
            "--prometheus-auth needs https://, since http:// shows the login to everyone on the way"
        )
    if ca is not None:
        _check_certificates(ca)
    if tenant is not None and _TENANT.fullmatch(tenant) is None:
        raise InputError(f"--tenant must be a name of up to 150 letters, digits and {_MARKS}")
    return Server(url, login, ca, tenant)


def _check_certificates(ca: Path) -> None:
    _read("--ca", ca)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(ca)
    except ssl.SSLError as error:
        raise InputError(f"--ca {ca}: must be a PEM file with certificates") from error


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or parts.query or parts.fragment or any(c.isspace() for c in url):
        raise InputError(f"the address of a Prometheus must have the form {_EXAMPLE}")
    if parts.username is not None:
        raise InputError(
            "the address of a Prometheus must not hold a login; put user:password into a file, and "
            "name it with --prometheus-auth"
        )
    return parts


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, so that nothing leaves it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def read_login(file: Path) -> Login:
    """Read a login from a file that only its owner can read.

    Raises InputError if others can read it, or it is not a single line.
    """
    content = _read("--prometheus-auth", file)
    if file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError(
            f"--prometheus-auth {file}: others can read the file; run `chmod 600` on it"
        )
    try:
        text = content.decode("utf-8").strip()
    except UnicodeDecodeError:
        text = ""
    if not text or not text.isprintable():
        raise InputError(
            f"--prometheus-auth {file}: must have one line, with a token or user:password"
        )
    user, mark, password = text.partition(":")
    if mark and not text.startswith(_BEARER):
        return Login(user, password)
    token = text.removeprefix(_BEARER).strip()
    if not token.isascii() or " " in token:
        raise InputError(f"--prometheus-auth {file}: a token must be a word of ASCII characters")
    return Login(None, token)


def _read(option: str, file: Path) -> bytes:
    try:
        files.check(file, _MOST_BYTES if option != "--ca" else 2**22)
        return file.read_bytes()
    except InputError as error:
        raise InputError(f"{option} {error}") from None
    except OSError as error:
        raise InputError(f"{option} {file}: {error.strerror}") from None
