"""Folder of the sockets between the JVM and its Python workers, for this process alone.

Spark leaves sockets behind where it ends before its workers do. In a folder of their own they are
removed with it, and no other user can see them.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from contextlib import suppress

SETTING = "spark.python.unix.domain.socket.dir"

LONGEST = 60
"""Maximum bytes in the path of a folder for Spark's sockets: Spark refuses longer ones."""

_PREFIX = "gs-"
_OWN = len("/") + len(_PREFIX) + 8
"""Bytes that the folder adds to the path of the one that it is in."""


def parent() -> str:
    """The folder for temporary files; ``/tmp`` if paths below it would be too long."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) + _OWN <= LONGEST else "/tmp"


def make() -> str:
    """Make a folder that is removed when this process ends; `parent` if none can be made."""
    place = parent()
    with suppress(OSError):
        made = tempfile.mkdtemp(prefix=_PREFIX, dir=place)
        atexit.register(_remove, made, os.getpid())
        return made
    return place


def _remove(folder: str, owner: int) -> None:
    """Remove it, unless this is a copy of the process that made it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
