"""Files in the format of Java's ``Properties``, and errors that say where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pipeline.base.errors import InputError
from pipeline.inputs.traces import files

MAX_BYTES = 2**20

_NAME = re.compile(r"[a-z]{1,20}([._-][a-z0-9]{1,20}){1,10}")
_BLANKS = " \t\f"
_ESCAPE = re.compile(r"\\(u(?P<code>[0-9a-fA-F]{4})|(?P<other>.))", re.DOTALL)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


class Property(NamedTuple):
    """One setting, without escapes."""

    line: int
    """Number of the line on which it begins."""
    key: str
    value: str
    """May be a secret."""

    def __repr__(self) -> str:
        return f"Property(line={self.line}, key={self.key!r})"


class PropertiesFile:
    """The settings of a file by key; the last one of a key counts."""

    def __init__(self, file: Path, properties: Iterable[Property]) -> None:
        self.file = file
        self._by_key = {each.key: each for each in properties}
        self._read: set[str] = set()

    def text(self, key: str) -> str:
        """Value without blanks around it, empty if it is not stated."""
        return self.secret(key).strip()

    def secret(self, key: str) -> str:
        """Value as it is, empty if it is not stated."""
        self._read.add(key)
        return self._by_key[key].value if key in self._by_key else ""

    def first(self, *keys: str) -> str | None:
        """The first of some keys that has a value; None if none has."""
        return next((key for key in keys if self.text(key)), None)

    def has(self, key: str) -> bool:
        """Whether a key is stated, with or without a value."""
        return key in self._by_key

    def unread(self, ignored: Iterable[str]) -> list[str]:
        """Keys that nothing has read and that are not ignored, in the order of their lines.

        What does not look like a name may be part of a secret: its line is given instead.
        """
        left = self._by_key.keys() - self._read - set(ignored)
        rows = sorted(self._by_key[key] for key in left)
        return [row.key if _NAME.fullmatch(row.key) else f"line {row.line}" for row in rows]

    def error(self, key: str, rule: str) -> InputError:
        """The error of a setting that breaks a rule: file, line, key and rule, not its value."""
        if key not in self._by_key:
            return InputError(f"{self.file}: `{key}` is missing: it {rule}")
        return InputError(f"{self.file}:{self._by_key[key].line}: `{key}` {rule}")


def read(file: Path) -> PropertiesFile:
    """Read a file of at most 1 MiB.

    Raises InputError if the file cannot be read, is not UTF-8, or has a broken escape or a
        character that no setting can have.
    """
    return PropertiesFile(file, properties(file))


def properties(file: Path) -> list[Property]:
    """The settings of a file in their order; a key may occur twice."""
    text = files.read_text(file, MAX_BYTES)
    return [_property(file, number, line) for number, line in _logical_lines(text)]


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
    parts = re.match(r"((?:[^\\=: \t\f]|\\.)*)[ \t\f]*[=:]?[ \t\f]*(.*)", line, re.DOTALL)
    assert parts is not None
    try:
        key, value = _plain(parts[1]), _plain(parts[2])
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
