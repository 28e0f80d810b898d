"""What Spark's JVM needs of a machine, checked before it starts: its own errors do not lead on."""

from __future__ import annotations

import os
import pwd
import socket
import tempfile
from pathlib import Path

from pipeline.base import paths
from pipeline.base.errors import InputError

LOOPBACK = "127.0.0.1"


def check() -> None:
    """Raise `InputError` if Spark cannot run: the user has no name, or 127.0.0.1 is missing."""
    number = os.getuid()
    try:
        pwd.getpwuid(number)
    except KeyError:
        raise InputError(
            f"user id {number} has no entry in /etc/passwd, which Hadoop's login needs; add one, "
            f"such as `runner:x:{number}:0::/tmp:/bin/sh`, or run as another user"
        ) from None
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind((LOOPBACK, 0))
    except OSError as error:
        raise InputError(
            f"Spark needs the IPv4 loopback address {LOOPBACK} ({error.strerror}); enable it, such "
            "as with `ip link set lo up`"
        ) from error


def temporary_folder() -> str:
    """Folder for temporary files from which Java may load native libraries.

    Raises InputError if the usual one is mounted with ``noexec``, and the state folder as well.
    """
    usual = tempfile.gettempdir()
    if _may_execute(usual):
        return usual
    other = paths.make_private(paths.state() / "tmp")
    if _may_execute(str(other)):
        return str(other)
    raise InputError(
        f"`TMPDIR` must allow programs, since Java loads libraries from it ({usual} and {other} "
        "are mounted with noexec); set it to another folder"
    )


def _may_execute(folder: str | Path) -> bool:
    try:
        return not os.statvfs(folder).f_flag & os.ST_NOEXEC
    except OSError:  # a folder that is missing is reported where it is used
        return True
