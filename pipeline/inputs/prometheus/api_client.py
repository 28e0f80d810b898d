"""Asks the HTTP API of Prometheus: answers of bounded size and time, repeated if it is busy."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

import requests
import tenacity
import urllib3
from requests.auth import AuthBase, HTTPBasicAuth

from pipeline.base.errors import InputError, StageError
from pipeline.base.text.printable import printable
from pipeline.inputs.prometheus import connection_failures
from pipeline.inputs.prometheus.server_access import Login, Server


class Patience(NamedTuple):
    """How long, how often and how much is waited for."""

    connect_s: float = 5.0
    silent_s: float = 60.0
    """Time without a byte; queries of a day take Prometheus some seconds."""
    answer_s: float = 180.0
    """Time of a whole answer."""
    attempts: int = 5
    first_pause_s: float = 0.5
    """Before the second attempt; it doubles, up to `longest_pause_s`."""
    longest_pause_s: float = 8.0
    longest_asked_s: float = 60.0
    """Longest pause that a server can ask for."""
    answer_bytes: int = 32 * 2**20
    """Size of an answer when decompressed: twice the largest page."""


PATIENCE = Patience()


class Unavailable(StageError):
    """Prometheus does not answer now, and may later."""

    def __init__(self, said: str, after_s: float = 0.0) -> None:
        super().__init__(said)
        self.after_s = after_s
        """Time that it asks to wait."""


Parameters = Sequence[tuple[str, str | int]]

_CHUNK = 65_536
_MOST_REDIRECTS = 3
_MOST_SAID = 200
_NO_API = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
_NO_LOGIN = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_TOO_LARGE = "choose fewer topics or a longer --step"


class _Bearer(AuthBase):
    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def _auth(login: Login) -> AuthBase:
    if login.user is None:
        return _Bearer(login.secret)
    return HTTPBasicAuth(login.user.encode(), login.secret.encode())


class ApiClient:
    """A connection to one Prometheus.

    waits: Called with the reason before each wait for another attempt.
    """

    def __init__(
        self,
        server: Server,
        waits: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._server, self._patience, self._waits = server, PATIENCE, waits
        self.place = server.place
        self._session = requests.Session()
        # Neither proxies nor .netrc: the login goes to this address alone. On a redirect to
        # another host, requests drops it.
        self._session.trust_env = False
        self._session.max_redirects = _MOST_REDIRECTS
        self._session.auth = None if server.login is None else _auth(server.login)
        self._session.verify = True if server.ca is None else str(server.ca)
        if server.tenant is not None:
            self._session.headers["X-Scope-OrgID"] = server.tenant

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def answer(self, path: str, parameters: Parameters = ()) -> dict[str, Any]:
        """What Prometheus answers, its envelope included.

        path: Below ``/api/v1/``.
        Raises InputError if there is no API, or it refuses the login.
        Raises Unavailable after the last attempt.
        Raises StageError if it refuses the request, or answers with something else.
        """
        patience = self._patience
        attempts = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(Unavailable),
            stop=tenacity.stop_after_attempt(patience.attempts),
            wait=self._pause,
            before_sleep=self._say,
            reraise=True,
        )
        answer: dict[str, Any] = attempts(self._attempt, path, parameters)
        return answer

    def _pause(self, state: tenacity.RetryCallState) -> float:
        patience = self._patience
        usual = tenacity.wait_exponential(patience.first_pause_s, patience.longest_pause_s)(state)
        error = None if state.outcome is None else state.outcome.exception()
        asked = error.after_s if isinstance(error, Unavailable) else 0.0
        return max(usual, min(asked, patience.longest_asked_s))

    def _say(self, state: tenacity.RetryCallState) -> None:
        if state.outcome is not None and state.next_action is not None:
            pause = state.next_action.sleep
            self._waits(f"{state.outcome.exception()}; retrying in {pause:.1f} s")

    def _attempt(self, path: str, parameters: Parameters) -> dict[str, Any]:
        limits = self._patience
        try:
            with self._session.get(
                f"{self._server.url}/api/v1/{path}",
                params=list(parameters),
                timeout=(limits.connect_s, limits.silent_s),
                stream=True,
            ) as response:
                return self._content(response, self._body(response))
        except requests.exceptions.SSLError as error:
            raise connection_failures.of_tls(self._server, error) from error
        except requests.exceptions.TooManyRedirects as error:
            raise StageError(f"{self.place} redirects more than {_MOST_REDIRECTS} times") from error
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema) as error:
            raise InputError(f"{self.place}: is not a valid address") from error
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise Unavailable(f"{self.place} {connection_failures.words(error)}") from error

    def _body(self, response: requests.Response) -> bytes:
        """The bytes of an answer, as they come: a slow one must not take for ever."""
        body, ends = bytearray(), time.monotonic() + self._patience.answer_s
        while part := response.raw.read1(_CHUNK, decode_content=True):
            body += part
            if len(body) > self._patience.answer_bytes:
                raise StageError(
                    f"{self.place}: an answer can have at most {self._patience.answer_bytes:,} "
                    f"bytes (got more); {_TOO_LARGE}"
                )
            if time.monotonic() > ends:
                raise Unavailable(
                    f"{self.place} has not ended an answer in {self._patience.answer_s:g} s"
                )
        return bytes(body)

    def _content(self, response: requests.Response, body: bytes) -> dict[str, Any]:
        status = response.status_code
        kind = response.headers.get("Content-Type", "").split(";")[0].strip().lower()
        is_json = kind == "application/json"
        content = _parsed(body) if is_json else None
        if status == HTTPStatus.OK and is_json and content is None:
            raise Unavailable(f"{self.place} has sent an answer that is cut short")
        if content is not None and status == HTTPStatus.OK and content.get("status") == "success":
            return content
        error = _text(body) if kind == "text/plain" else (content or {}).get("error", "")
        said = _said(status, str(error))
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.TOO_MANY_REQUESTS:
            after = response.headers.get("Retry-After", "")
            after_s = float(after) if after.isdecimal() else 0.0
            raise Unavailable(f"{self.place} answers with {said}", after_s)
        if status in _NO_LOGIN:
            raise InputError(
                f"{self.place} refuses the login ({said}); set --prometheus-auth FILE, or "
                "--tenant NAME where there are several"
            )
        if status in _NO_API or (status == HTTPStatus.OK and content is None):
            raise InputError(
                f"{self.place}: no API of Prometheus is there ({said}, {kind or 'no content type'})"
                "; check the address, which may need a path"
            )
        raise StageError(f"{self.place} refuses the query: {said}")


def _parsed(body: bytes) -> dict[str, Any] | None:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _text(body: bytes) -> str:
    return body[: 4 * _MOST_SAID].decode("utf-8", "replace")


def _said(status: int, error: str) -> str:
    """Status of an answer, and the error that it tells."""
    known = status in HTTPStatus.__members__.values()
    name = f"{status} {HTTPStatus(status).phrase}" if known else str(status)
    words = printable(" ".join(error.split()))[:_MOST_SAID]
    return f"{name}: {words}" if words else name
