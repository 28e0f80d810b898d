"""The login of a Pulsar of our own: a token made for it, and known to its user alone.

Its ports are on the loopback address, which all users of a machine share. Without a login any of
them could read and write the topics of a run, or upload a function, which runs as the run's user.

A key of 256 random bits signs the token (JWT, HS256). Both are files for their owner alone, in the
folder of Pulsar's data, which goes with it. All else, settings and tasks of processes, has their
paths: the token is in no command line, environment, log or evidence.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from pathlib import Path

import requests
from requests.auth import AuthBase

from live.kafka.broker_login import write_private

ROLE = "groupscale"
"""The only role of such a Pulsar, which may do everything."""

_CLIENT = "org.apache.pulsar.client.impl.auth.AuthenticationToken"
_PROVIDER = "org.apache.pulsar.broker.authentication.AuthenticationProviderToken"


def token_file(folder: Path) -> Path:
    """File of the token, in the folder of Pulsar's data."""
    return folder / "token"


def key_file(folder: Path) -> Path:
    """File of the key with which Pulsar checks tokens, in the folder of its data."""
    return folder / "token-key"


def write(folder: Path) -> None:
    """Write a new key, and the token that it signs. Raises FileExistsError if there are some."""
    # Letters, digits, hyphens and underscores: Pulsar takes the file's bytes as they are.
    key = secrets.token_urlsafe(32)
    write_private(key_file(folder), key)
    write_private(token_file(folder), signed(key.encode("ascii")))


def signed(key: bytes) -> str:
    """Token of `ROLE` without an end: it is worth nothing when its Pulsar has ended."""
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": ROLE})
    text = ".".join(_encoded(json.dumps(part).encode("ascii")) for part in parts)
    return f"{text}.{_encoded(hmac.digest(key, text.encode('ascii'), 'sha256'))}"


def _encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode("ascii")


def settings(folder: Path) -> dict[str, str]:
    """Settings with which Pulsar wants the login from all clients, its own included.

    The functions worker takes them over, and functions connect with the worker's login.
    """
    return {
        "authenticationEnabled": "true",
        "authenticationProviders": _PROVIDER,
        "tokenSecretKey": key_file(folder).absolute().as_uri(),
        "authorizationEnabled": "true",
        "superUserRoles": ROLE,
        "authenticateMetricsEndpoint": "true",
        "brokerClientAuthenticationPlugin": _CLIENT,
        "brokerClientAuthenticationParameters": token_file(folder).absolute().as_uri(),
    }


def read(file: Path) -> str:
    """The token in a file. Raises OSError if it cannot be read."""
    return file.read_text(encoding="ascii")


class TokenLogin(AuthBase):
    """Login of HTTP requests; ``.netrc`` does not replace it, as it would a header."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Add the token to a request."""
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def session(file: Path) -> requests.Session:
    """A session whose requests have the token of a file. Raises OSError if it cannot be read."""
    made = requests.Session()
    made.auth = TokenLogin(read(file))
    # Else a proxy that the environment names would get requests, and the token with them.
    made.trust_env = False
    return made
