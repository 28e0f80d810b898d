"""Folders that only their owner can read: databases, logs and secrets.

What writes there has file modes of its own, or the umask of the moment. So the folders are closed,
at each start: those of earlier versions too.
"""

from __future__ import annotations

import os
from pathlib import Path

from tools.layout import Layout

OWNER, PASSED = 0o700, 0o711


def ensure(layout: Layout) -> None:
    """Make the folders of databases and logs, and close them and those of services."""
    for folder in (layout.airflow, layout.mlflow, layout.logs):
        folder.mkdir(parents=True, exist_ok=True)
        _close(folder, OWNER)
    if layout.services.is_dir():
        services(layout)


def services(layout: Layout) -> None:
    """Make the folder of what `make up` starts, and close it and those in it.

    Where root calls, the databases in it are another user's, who has to get there.
    """
    layout.services.mkdir(parents=True, exist_ok=True)
    _close(layout.services, PASSED if os.geteuid() == 0 else OWNER)
    for folder in layout.services.iterdir():
        if folder.is_dir() and not folder.is_symlink():
            _close(folder, OWNER)


def _close(folder: Path, mode: int) -> None:
    # What belongs to somebody else, such as PostgreSQL's user, is theirs to close.
    if folder.stat().st_uid == os.geteuid():
        folder.chmod(mode)
