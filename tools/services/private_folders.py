"""Folders that only their owner can read: databases, logs and secrets.

Programs that write there use their own file modes or the current umask. So each start removes other
users' access to the folders, including those of earlier versions.
"""

from __future__ import annotations

import os
from pathlib import Path

from pipeline.base import paths
from tools.layout import Layout

OWNER = 0o700


def ensure(layout: Layout) -> None:
    """Create the folders of databases and logs, and close them and those of services to others."""
    paths.make_state(layout.state)
    for folder in (layout.airflow, layout.mlflow, layout.logs):
        folder.mkdir(parents=True, exist_ok=True)
        _close(folder, OWNER)
    if layout.services.is_dir():
        services(layout)


def services(layout: Layout) -> None:
    """Create the folder of `make up`'s services, and close it and those in it to others.

    If root calls this, the databases in it belong to another user, which needs access.
    """
    for passed in (layout.state, layout.services):
        paths.make_state(passed)
    for folder in layout.services.iterdir():
        if folder.is_dir() and not folder.is_symlink():
            _close(folder, OWNER)


def _close(folder: Path, mode: int) -> None:
    # Leave folders that belong to another user, such as PostgreSQL's.
    if folder.stat().st_uid == os.geteuid():
        folder.chmod(mode)
