"""Quotes from files in messages.

Users may name files that they cannot read themselves: a task of Airflow reads with the permissions
of the service. So a message quotes at most 40 characters of a file, and only text that looks like a
valid value: a number, a time, or a word for a missing value; a name, if the rest of the file is
valid. Everything else is described by its type and size. Messages go to logs, tables and MLflow, so
this protects those too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Sized
from difflib import get_close_matches
from math import log10

MOST = 40
"""Maximum number of quoted characters."""

_MOST_BITS = 130
_WORDS = {None: "null", True: "true", False: "false"}
# Digits between marks, of which no more than two are together, as in -1e-9, 0x10 or a date.
_NUMBER = re.compile(r"[-+]{0,2}\.?[0-9]+([-+.,:_ eExT]{1,2}[0-9]+)*[a-zA-Z.]?", re.ASCII)
_NONE = re.compile(
    r"[-+]?(nan|inf|infinity|null|none|nil|n/?a|true|false|yes|no|on|off)|[^\W_]|", re.IGNORECASE
)
# A part of twelve letters or digits may be a key or a password; names have shorter ones.
_NAME = re.compile(r"[^\W_]{1,11}(?:[ ._:/-]{1,2}[^\W_]{1,11})*")


def shown(value: object) -> str:
    """A wrong value as text for a message.

    >>> shown("-1e-9"), shown("hunter2"), shown([1, 2])
    ("'-1e-9'", 'a text of 7 characters', 'a list of length 2')
    """
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, str):
        return _quoted(value, _NUMBER, _NONE)
    if isinstance(value, Sized):
        kind = "mapping" if isinstance(value, dict) else "list"
        return f"a {kind} of length {len(value):,}"
    return _number(value)


def named(value: object) -> str:
    """As `shown`, for a name in a file that is otherwise valid."""
    return _quoted(value, _NUMBER, _NAME) if isinstance(value, str) else shown(value)


def header(names: Sequence[str], known: Iterable[str]) -> str:
    """Names of columns if they look like names and one is ``known``; else their number."""
    text = ", ".join(names)
    plain = all(named(name) == repr(name) for name in names)
    if plain and len(text) <= MOST and not {name.lower() for name in names}.isdisjoint(known):
        return f"columns {text}"
    return f"{len(names):,} columns" if len(names) != 1 else "one column"


def key(text: str, known: Sequence[str]) -> str:
    """A key, quoted if it is close to a known one, as a typing error is."""
    is_near = len(text) <= MOST and get_close_matches(text, known, n=1, cutoff=0.8)
    return f"key {text!r}" if is_near else "key"


def kind(message: str) -> str:
    """A parser's message without its quotes from the file."""
    return re.split(r"['\"`]", message, maxsplit=1)[0].strip().removesuffix(", but found")


def _quoted(text: str, *allowed: re.Pattern[str]) -> str:
    if len(text) <= MOST and any(pattern.fullmatch(text) for pattern in allowed):
        return repr(text)
    return f"a text of {len(text):,} character{'s' * (len(text) != 1)}"


def _number(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"a number with {int(value.bit_length() * log10(2)) + 1:,} digits"
    text = str(value)
    return text if _NUMBER.fullmatch(text) or _NONE.fullmatch(text) else "another type"
