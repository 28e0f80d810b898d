"""Logs of services: bounded in size while the services run."""

from __future__ import annotations

import os
import shutil

from tools.layout import Layout
from tools.services.service_topology import SERVICES

MOST_BYTES = 50_000_000


def bound(layout: Layout) -> None:
    """Move what is in a log that has grown large to ``NAME.log.1``, in place of what was there.

    The service goes on writing to the same file, which it appends to; what it writes in this
    very moment can be lost.
    """
    for service in SERVICES:
        log = layout.logs / f"{service.name}.log"
        if log.exists() and log.stat().st_size > MOST_BYTES:
            shutil.copyfile(log, log.with_name(f"{log.name}.1"))
            os.truncate(log, 0)
