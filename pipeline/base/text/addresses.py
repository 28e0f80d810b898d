"""Removes passwords from addresses in messages and logs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

# Texts come from other programs and can be long: each pattern reads a text once.
_WORD = re.compile(r"[^\s'\"]+")
_USER = re.compile(r"(?<=://)[^/:]*:")
_NAME = re.compile(r"(?<=://)[^/\s:@'\"]*@")
# A parameter name has at most 64 characters; `&amp;` ends with a semicolon.
_FIELD = re.compile(r"(?<=[?&;#])([\w.%\[\]-]{1,64})=([^&;#\s'\"<>]+)")
_SECRET = re.compile(
    r"passw|passphrase|pwd|secret|token|signature|credential|assertion|key$|^(sig|sas|pass|auth|code)$"
)
HIDDEN = "***"


def shown(text: str) -> str:
    """Text without the names and passwords that addresses in it may hold.

    >>> shown("https://me:secret@tracking.example:5000/path?token=abc&page=2")
    'https://tracking.example:5000/path?token=***&page=2'
    """
    return _NAME.sub("", without_password(text))


def without_password(place: str) -> str:
    """A location that may be shown: user and password are removed from an address that has both.

    A name without a password stays: in Azure it is the container. Query parameters for a password,
    key, token or signature are hidden.
    """
    return _FIELD.sub(_hidden, _WORD.sub(_without_user, place))


def passwords(*addresses: str) -> set[str]:
    """Passwords in the given addresses, both as written and decoded.

    >>> sorted(passwords("https://me:p%40ss@tracking.example:5000?token=abc"))
    ['abc', 'p%40ss', 'p@ss']
    """
    secrets = {secret for text in addresses for secret in _found(text) if secret}
    return secrets | {unquote(secret) for secret in secrets}


def _found(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        user = _user(word)
        if user is not None:
            yield word[user.end() : word.rindex("@")]
    for name, value in _FIELD.findall(text):
        if _is_secret(name):
            yield value


def _user(word: str) -> re.Match[str] | None:
    """The name that a password follows, if any.

    A name may contain an at sign, and a password slashes too: the last at sign of a word ends it.
    If the path has an at sign too, more is removed than necessary, but never less.
    """
    return _USER.search(word, 0, max(0, word.rfind("@")))


def _without_user(match: re.Match[str]) -> str:
    word = match[0]
    user = _user(word)
    return word if user is None else word[: user.start()] + word[word.rindex("@") + 1 :]


def _hidden(match: re.Match[str]) -> str:
    return f"{match[1]}={HIDDEN}" if _is_secret(match[1]) else match[0]


def _is_secret(name: str) -> bool:
    return _SECRET.search(unquote(name).lower().replace("-", "_")) is not None
