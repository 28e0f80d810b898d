"""What a live run needs of this machine, checked before anything is written."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from live.kafka import broker_jars, reserved_ports
from pipeline.base.errors import InputError
from pipeline.base.process import machine
from pipeline.warehouse.runs import one_live_run_lock

FREE_GIB = 1.0
"""Disk space that must be left."""


class Needs(NamedTuple):
    """What a run needs, estimated."""

    seconds: float
    """Time with its servers."""
    disk_gib: float
    memory_gib: float
    """`disk_gib`, `memory_gib`: disk space for logs and evidence, and memory."""

    def __str__(self) -> str:
        return (
            f"about {self.seconds / 60:.0f} min on the broker, up to {self.disk_gib:.1f} GiB of "
            f"disk and {self.memory_gib:.1f} GiB of memory"
        )


def idle(server: str, ports: int) -> Path | None:
    """Check that own servers can start and that no other live run is running.

    server: In messages.
    ports: That own servers listen on; 0 without own servers, which need no Java either.
    Returns Java's program, None without own servers.
    Raises InputError: Names what is missing and a remedy.
    """
    java = broker_jars.java_program(server) if ports else None
    with reserved_ports.reserved(ports, server):
        pass
    one_live_run_lock.check()
    return java


def check(needed: Needs, folder: Path, less_disk: str, less_memory: str) -> None:
    """Check that disk space and memory suffice.

    folder: Whose disk is filled; it need not exist.
    less_disk, less_memory: What to do where they do not.
    Raises InputError: Names the limit and the remedy.
    """
    place = next(each for each in (folder, *folder.parents) if each.exists())
    free = shutil.disk_usage(place).free / 2**30
    if needed.disk_gib + FREE_GIB > free:
        raise InputError(
            f"the run needs about {needed.disk_gib + FREE_GIB:.1f} GiB of disk space in {place}, "
            f"which has {free:.1f} GiB; {less_disk}"
        )
    memory = machine.available_gib()
    if needed.memory_gib > memory:
        raise InputError(
            f"the run needs about {needed.memory_gib:.1f} GiB of memory, but {memory:.1f} GiB are "
            f"available on this machine; {less_memory}"
        )


def check_time(
    experiments: Iterable[tuple[str, float]], limit_s: float, fields: str, remedy: str
) -> None:
    """Check that each experiment ends before its task is stopped.

    experiments: Names, and the longest time that each takes, s.
    limit_s: Time limit of a task that measures one experiment, s.
    fields: Settings whose product is the time.
    Raises InputError: Names the experiment, its time and the limit.
    """
    for name, needed in experiments:
        if needed > limit_s:
            raise InputError(
                f"{fields}: a task of Airflow may take {limit_s / 60:,.0f} min (got "
                f"{needed / 60:,.0f} min in experiment '{name}'); {remedy}"
            )
