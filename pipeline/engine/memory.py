"""What this machine has, and whether that is enough for a run where Spark runs on it alone."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline import limits
from pipeline.spark import session

if TYPE_CHECKING:
    from pipeline.config.run_config import RunConfig

_LOCAL = re.compile(r"local(\[(?P<cores>\d+|\*)(,.*)?\])?")


def check(config: RunConfig) -> None:
    """Raise `InputError` if this machine lacks the memory for a run.

    Whether a cluster has it cannot be told from here.
    """
    cores = cores_of(session.master())
    if cores is not None:
        limits.check_memory(config.sizes, cores, memory_gib())


def cores_of(master: str) -> int | None:
    """Cores that Spark uses of this machine; None where the master is a cluster's."""
    found = _LOCAL.fullmatch(master)
    if found is None:
        return None
    cores = found["cores"] or "1"
    return all_cores() if cores == "*" else int(cores)


def all_cores() -> int:
    """Cores that this process may use, as far as the system can tell."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_gib(limit: Path = Path("/sys/fs/cgroup/memory.max")) -> float:
    """All memory of this machine, or of the container that this process is in, GiB.

    Parameters
    ----------
    limit
        Where Linux tells a container its limit: a number of bytes, or ``max``.
    """
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    told = limit.read_text().strip() if limit.is_file() else "max"
    return min(physical, int(told) if told.isdigit() else physical) / 2**30


@contextmanager
def memory_at_most(share: float) -> Iterator[None]:
    """Let this process take no more than a share of the memory: beyond it, allocations fail.

    What it has taken before does not count: libraries set memory aside when they are loaded. A
    lower limit that is in force already stays.
    """
    before = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = _taken() + int(memory_gib() * share * 2**30)
    # Below 0 is none.
    soft = min([wanted, *(limit for limit in before if limit >= 0)])
    resource.setrlimit(resource.RLIMIT_DATA, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _taken(sizes: Path = Path("/proc/self/statm")) -> int:
    """Bytes that this process may write, as Linux counts them for the limit."""
    pages = int(sizes.read_text().split()[5]) if sizes.is_file() else 0
    return pages * os.sysconf("SC_PAGE_SIZE")
