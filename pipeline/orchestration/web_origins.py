"""Host and origin checks of Airflow's web server.

A site whose name resolves to this machine (DNS rebinding) has the same origin for the browser, but
its name is in the `Host` header: the server refuses unknown hosts. A page of another origin cannot
read responses, but can make the browser send requests with the user's cookie: the server refuses
those that could change something. The rules are those of Go's `net/http.CrossOriginProtection`.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pipeline.base.errors import InputError

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Receive, Scope, Send

ALLOWED_HOSTS = "GROUPSCALE_ALLOWED_HOSTS"
LOOPBACK = ("127.0.0.1", "localhost")
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")


def allowed_hosts(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of hosts.

    Raises InputError if an entry is not a host name.

    >>> allowed_hosts("bench.example.com, 10.0.0.7")
    ('bench.example.com', '10.0.0.7')
    """
    hosts = tuple(word.strip() for word in text.split(",") if word.strip())
    wrong = [host for host in hosts if not _HOST.fullmatch(host)]
    if wrong:
        raise InputError(
            f"`{ALLOWED_HOSTS}` must list host names without scheme or port, separated by "
            f"commas, such as bench.example.com (got {wrong[0]!r})"
        )
    return hosts


def own_hosts() -> tuple[str, ...]:
    """Host names of the server: loopback, from Airflow's settings, and from the operator."""
    from airflow.configuration import conf

    settings = (("api", "base_url"), ("core", "execution_api_server_url"))
    addresses = [conf.get(section, key, fallback="") for section, key in settings]
    hosts = [urlsplit(address).hostname for address in addresses]
    extra = allowed_hosts(os.environ.get(ALLOWED_HOSTS, ""))
    return (*LOOPBACK, *(host for host in hosts if host), *extra)


def of_own_hosts(app: ASGIApp) -> ASGIApp:
    """Starlette's check of the header ``Host``, with the names of this server."""
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    return TrustedHostMiddleware(app, own_hosts(), www_redirect=False)


class SameOrigin:
    """Middleware that refuses cross-origin requests with an unsafe method."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        from starlette.datastructures import Headers
        from starlette.responses import PlainTextResponse

        answer = self.app
        changes = scope["type"] == "http" and scope["method"] not in SAFE
        if changes and _is_foreign(Headers(scope=scope)):
            answer = PlainTextResponse("Cross-origin request refused", status_code=403)
        await answer(scope, receive, send)


def _is_foreign(headers: Headers) -> bool:
    """Whether a browser marks the request as cross-origin; programs do not send these headers."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host")
