"""Texts of files and users, made safe for a terminal."""

from __future__ import annotations


def printable(said: str) -> str:
    r"""Text in one line without control characters.

    >>> printable("a\x1b[31mb\nc")
    'a�[31mb c'
    """
    return "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in said)
