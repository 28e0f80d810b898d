"""Folders from which a process imports users' own modules, besides the packages of the project."""

from __future__ import annotations

import os
import sys

FOLDERS = "GROUPSCALE_ALGORITHM_PATH"
"""Variable with these folders, separated as in ``PATH``."""


def extend(*folders: str) -> None:
    """Let this process, and those that it starts, import from some folders and from `FOLDERS`.

    They come last: no file there replaces another module.
    """
    entries = [*filter(None, os.environ.get(FOLDERS, "").split(os.pathsep)), *folders]
    if folders:
        os.environ[FOLDERS] = os.pathsep.join(dict.fromkeys(entries))
    sys.path += [folder for folder in dict.fromkeys(entries) if folder not in sys.path]
