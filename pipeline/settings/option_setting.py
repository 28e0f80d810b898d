"""Settings that have an option of their own on the command line."""

from __future__ import annotations

from typing import Self


class OptionSetting(str):
    """``KEY=VALUE``, as ``--set`` takes it, from another option, which messages name."""

    origin: str
    """What the user wrote, such as ``--nodes 3``."""

    def __new__(cls, key: str, value: object, origin: str) -> Self:
        """The text of ``--set``, which remembers its option."""
        made = super().__new__(cls, f"{key}={value}")
        made.origin = origin
        return made
