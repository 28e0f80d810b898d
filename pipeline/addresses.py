"""Addresses in what leaves the pipeline, without their passwords."""

from __future__ import annotations

import re
from urllib.parse import unquote

# A name may hold an at sign, and a password slashes as well: the last at sign of a word ends it. So
# more goes than need be where a path has one too, and never less.
_PASSWORD = re.compile(r"(?<=://)[^/\s:'\"]*:([^\s'\"]*)@")
_NAME = re.compile(r"(?<=://)[^/\s:@'\"]*@")


def shown(text: str) -> str:
    """Text without the names and passwords that addresses in it may hold.

    Examples
    --------
    >>> shown("https://me:secret@tracking.example:5000/path")
    'https://tracking.example:5000/path'
    """
    return _NAME.sub("", without_password(text))


def without_password(place: str) -> str:
    """A place that may be shown: user and password go out of an address that has both.

    A name alone stays: Azure has that of a container there.
    """
    return _PASSWORD.sub("", place)


def passwords(*addresses: str) -> set[str]:
    """Passwords in some addresses, as they stand there and as they are meant.

    Examples
    --------
    >>> sorted(passwords("https://me:p%40ss@tracking.example:5000"))
    ['p%40ss', 'p@ss']
    """
    found = {secret for text in addresses for secret in _PASSWORD.findall(text) if secret}
    return found | {unquote(secret) for secret in found}
