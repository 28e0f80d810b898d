"""Files in the format of Java's ``Properties``, as Kafka's tools read them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pipeline.base.errors import InputError
from pipeline.inputs.traces import files

MAX_BYTES = 2**20

_BLANKS = " \t\f"
_ESCAPE = re.compile(r"\\(u(?P<code>[0-9a-fA-F]{4})|(?P<other>.))", re.DOTALL)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


class Property(NamedTuple):
    """One setting."""

    line: int
    """Number of the line on which it begins."""
    key: str
    value: str
    """`key`, `value`: both without escapes. The value may be a secret."""

    def __repr__(self) -> str:
        return f"Property(line={self.line}, key={self.key!r})"


def read(file: Path) -> list[Property]:
    """Read a file of at most 1 MiB.

    Returns
    -------
    list of Property
        In their order; a key may occur twice, and then the last one counts.

    Raises
    ------
    InputError
        If the file cannot be read, is not UTF-8, or has a broken escape or a character that no
        setting can have.
    """
    text = files.read_text(file, MAX_BYTES)
    return [_property(file, line, said) for line, said in _logical_lines(text)]


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their continuations, and the number of their first line; no comments."""
    parts: list[str] = []
    began = 0
    for number, natural in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        line = natural.lstrip(_BLANKS)
        if not parts:
            began = number
            if not line or line[0] in "#!":
                continue
        if _continues(line):
            parts.append(line[:-1])
        else:
            yield began, "".join([*parts, line])
            parts = []
    if parts:
        yield began, "".join(parts)


def _continues(line: str) -> bool:
    """Whether a line ends with a backslash that no other one escapes."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _property(file: Path, number: int, line: str) -> Property:
    # The key ends at the first blank, = or : that is not escaped.
    found = re.match(r"((?:[^\\=: \t\f]|\\.)*)[ \t\f]*[=:]?[ \t\f]*(.*)", line, re.DOTALL)
    assert found is not None
    try:
        key, value = _plain(found[1]), _plain(found[2])
    except ValueError:
        raise InputError(
            f"{file}:{number}: \\u must be followed by four hexadecimal digits; write \\\\ for a "
            "backslash"
        ) from None
    try:
        # Java writes a character beyond 16 bits as the escapes of two halves.
        key, value = _joined(key), _joined(value)
    except UnicodeError:
        raise InputError(f"{file}:{number}: \\ud800 to \\udfff must be in pairs") from None
    if "\0" in key + value:
        raise InputError(f"{file}:{number}: must not contain the character \\u0000; remove it")
    return Property(number, key, value)


def _joined(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _plain(text: str) -> str:
    """Text without escapes; `ValueError` if one is cut short."""
    return _ESCAPE.sub(_meaning, text)


def _meaning(escape: re.Match[str]) -> str:
    if escape["code"]:
        return chr(int(escape["code"], 16))
    if escape["other"] == "u":
        raise ValueError
    return _CONTROLS.get(escape["other"], escape["other"])
