"""Logs of services: bounded in size while the services run."""

from __future__ import annotations

import os
import shutil

from tools.layout import Layout
from tools.services.service_topology import SERVICES

MOST_BYTES = 50_000_000


def bound(layout: Layout) -> None:
    """Move the content of a large log to ``NAME.log.1``, replacing the previous one.

    The service continues to append to the same file; lines that it writes at this moment can be
    lost.
    """
    for service in SERVICES:
        log = layout.logs / f"{service.name}.log"
        if log.exists() and log.stat().st_size > MOST_BYTES:
            shutil.copyfile(log, log.with_name(f"{log.name}.1"))
            os.truncate(log, 0)
