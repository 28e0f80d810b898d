"""Whether this machine has enough memory for a run in local mode."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.base import limits
from pipeline.base.process import machine
from pipeline.warehouse.spark import remote_session, session_settings

if TYPE_CHECKING:
    from pipeline.settings.run_config import RunConfig

_LOCAL = re.compile(r"local(\[(?P<cores>\d+|\*)(,.*)?\])?")


def check(config: RunConfig) -> None:
    """Raise `InputError` if this machine lacks the memory for a run.

    The memory of a cluster, or of a Spark Connect server on another machine, is not checked.
    """
    place = remote_session.address()
    if place and not remote_session.is_here(place):
        return
    cores = cores_of(session_settings.master())
    if cores is not None:
        limits.check_memory(config.sizes, cores, machine.memory_gib())


def cores_of(master: str) -> int | None:
    """Cores of this machine that Spark uses; None if the master is a cluster's."""
    match = _LOCAL.fullmatch(master)
    if match is None:
        return None
    cores = match["cores"] or "1"
    return machine.all_cores() if cores == "*" else int(cores)
