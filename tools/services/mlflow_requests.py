"""What MLflow's server cannot read in a request, and would answer with an internal error."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Request

TOKEN = "page_token"
"""Parameter of searches: Base64 of a JSON object with an ``offset``."""

_MOST_BYTES = 2**24
"""Bodies of the API are smaller; files that are uploaded are not looked at."""


_MOST_OFFSET = 2**63
"""Databases have offsets below it."""


def has_login(request: Request) -> bool:
    """Whether a request that names a user does it by name and password, without a NUL."""
    login = request.authorization
    if login is None:
        return True
    parts = (login.username, login.password)
    return all(isinstance(part, str) and "\0" not in part for part in parts)


def problem(request: Request) -> str | None:
    """Why a request cannot be answered; None if it can, or MLflow itself says why."""
    for name, value in _values(request):
        if "\0" in name or "\0" in value:
            return "a name or value contains the character U+0000; remove it"
        if name == TOKEN and value and not _is_token(value):
            return f"{TOKEN} must be one that this server has returned"
    return None


def _values(request: Request) -> Iterator[tuple[str, str]]:
    """Texts of a request, each with the name of what it is in; a key is a value too."""
    yield "", request.path
    yield from request.args.items(multi=True)
    if request.mimetype != "application/json" or (request.content_length or 0) > _MOST_BYTES:
        return
    body = request.get_data(cache=True)
    if b"\\u0000" not in body and TOKEN.encode() not in body:
        return
    try:
        yield from _inside("", json.loads(body))
    except (ValueError, RecursionError):
        return


def _inside(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield "", key
            yield from _inside(key, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _inside(name, inner)


def _is_token(text: str) -> bool:
    """Whether MLflow can read it, or says itself why it cannot."""
    if not text.isascii():
        return False
    try:
        token = json.loads(base64.b64decode(text))
    except ValueError:
        return True
    except RecursionError:
        return False
    offset = token.get("offset", 0) if isinstance(token, dict) else None
    return type(offset) is int and 0 <= offset < _MOST_OFFSET
