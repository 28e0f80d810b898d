"""Requests as pages of other sites have a browser send them."""

from __future__ import annotations

import json
import urllib.request
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlsplit

REFUSED = {400, 401, 403}
SITE = "evil.example"


class Answer(NamedTuple):
    """What a server says, and whether a browser would hand it to the page that asked."""

    status: int
    is_readable: bool


def ask(page: str, content: object = None, **headers: str) -> Answer:
    """Send a request as it is, without what a program would add; ``sec_fetch_site`` is a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    data = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(page, data, named)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60) as answer:
            return Answer(answer.status, "Access-Control-Allow-Origin" in answer.headers)
    except HTTPError as error:
        return Answer(error.code, "Access-Control-Allow-Origin" in error.headers)


def rebound(page: str, content: object = None, **headers: str) -> Answer:
    """Send a request as a page whose name resolves to this machine: the browser sees one origin."""
    host = f"{SITE}:{urlsplit(page).port}"
    return ask(page, content, host=host, origin=f"http://{host}", **headers)


def elsewhere(page: str, content: object = None, **headers: str) -> Answer:
    """Send a request as a page of another origin, which may submit a form."""
    return ask(page, content, origin=f"http://{SITE}", content_type="text/plain", **headers)


def check_airflow(base: str, token: str) -> None:
    """Neither kind of page gets anything, not even along with the cookie of an administrator."""
    cookie = f"_token={token}"
    for path in ("/", "/api/v2/version", "/api/v2/dags", "/api/v2/monitor/health"):
        assert rebound(f"{base}{path}", cookie=cookie).status in REFUSED
        assert not elsewhere(f"{base}{path}", cookie=cookie).is_readable
    connections = f"{base}/api/v2/connections"
    made = {"connection_id": "theirs", "conn_type": "generic"}
    assert rebound(connections, made, cookie=cookie, content_type="application/json").status == 400
    assert elsewhere(connections, made, cookie=cookie).status == 403
    assert ask(connections, made, cookie=cookie, sec_fetch_site="same-site").status == 403
    assert ask(f"{connections}/theirs", cookie=cookie).status == 404
    assert ask(connections).status == 401
