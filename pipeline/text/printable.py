"""Texts that come from files and users, as a terminal may be given them."""

from __future__ import annotations


def printable(said: str) -> str:
    r"""Text in one line, without what a terminal would take for commands.

    Examples
    --------
    >>> printable("a\x1b[31mb\nc")
    'a�[31mb c'
    """
    return "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in said)
