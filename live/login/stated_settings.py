"""What a client properties file states, and errors that say where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from live.login.java_properties import Property
from pipeline.base.errors import InputError

_NAME = re.compile(r"[a-z]{1,20}([._-][a-z0-9]{1,20}){1,10}")


@dataclass(frozen=True, slots=True)
class Translated:
    """Settings in the terms of both clients."""

    confluent: Mapping[str, str] = field(repr=False)
    kafka_python: Mapping[str, object] = field(repr=False)
    """`confluent`, `kafka_python`: settings by name. They may hold secrets."""


class StatedSettings:
    """The settings of a file by key; the last one of a key counts.

    Parameters
    ----------
    file
        The file, for messages.
    """

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
        found = self._by_key.get(key)
        return "" if found is None else found.value

    def stated(self, *keys: str) -> str | None:
        """The first of some keys that has a value; None if none has."""
        return next((key for key in keys if self.text(key)), None)

    def has(self, key: str) -> bool:
        """Whether a key is stated, with or without a value."""
        return key in self._by_key

    def unread(self, known: Iterable[str] = ()) -> list[str]:
        """Keys that nothing has read, but for known ones, in the order of their lines.

        What does not look like a name may be part of a secret: its line is given instead.
        """
        left = self._by_key.keys() - self._read - set(known)
        rows = sorted((each for key, each in self._by_key.items() if key in left), key=_line)
        return [row.key if _NAME.fullmatch(row.key) else f"line {row.line}" for row in rows]

    def error(self, key: str, rule: str) -> InputError:
        """The error of a setting that breaks a rule: file, line, key and rule, not its value."""
        found = self._by_key.get(key)
        place = self.file if found is None else f"{self.file}:{found.line}"
        missing = " is missing: it" if found is None else ""
        return InputError(f"{place}: `{key}`{missing} {rule}")


def _line(row: Property) -> int:
    return row.line
