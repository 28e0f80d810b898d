"""Cores and memory of this machine, or of the container that this process runs in."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def all_cores() -> int:
    """Cores that this process may use, as far as the system reports them."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_gib(limit: Path = Path("/sys/fs/cgroup/memory.max")) -> float:
    """All memory of this machine, or of the container that this process is in, GiB.

    limit: File with the container's limit under Linux: a number of bytes, or ``max``.
    """
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit_text = limit.read_text().strip() if limit.is_file() else "max"
    return min(physical, int(limit_text) if limit_text.isdigit() else physical) / 2**30


def available_gib(
    info: Path = Path("/proc/meminfo"), group: Path = Path("/sys/fs/cgroup")
) -> float:
    """Memory that new processes can take now, of the machine and of its container, GiB.

    Caches that the system gives up count as available. All memory, where the system does not say.

    info, group: Under Linux, file with the machine's memory, and folder with that of the container.
    """
    free = _fields(info).get("MemAvailable:", memory_gib(group / "memory.max") * 2**20) / 2**20
    limit, used = group / "memory.max", group / "memory.current"
    if not (limit.is_file() and used.is_file() and limit.read_text().strip().isdigit()):
        return free
    cached = _fields(group / "memory.stat").get("inactive_file", 0)
    left = int(limit.read_text()) - int(used.read_text()) + cached
    return min(free, max(left, 0) / 2**30)


def _fields(file: Path) -> dict[str, int]:
    """Names and numbers of a file with one of each a line; none if there is no such file."""
    if not file.is_file():
        return {}
    words = (line.split() for line in file.read_text().splitlines())
    return {name: int(number) for name, number, *_ in words}


@contextmanager
def memory_at_most(share: float) -> Iterator[None]:
    """Limit this process to a share of the memory: beyond it, allocations fail.

    Memory taken before does not count: libraries reserve memory when they are loaded. A lower limit
    that is already in force stays.
    """
    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = _taken() + int(memory_gib() * share * 2**30)
    # A negative limit means none.
    soft = min([most, *(limit for limit in before if limit >= 0)])
    resource.setrlimit(resource.RLIMIT_DATA, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _taken(sizes: Path = Path("/proc/self/statm")) -> int:
    """Writable bytes of this process, as Linux counts them for the limit."""
    pages = int(sizes.read_text().split()[5]) if sizes.is_file() else 0
    return pages * os.sysconf("SC_PAGE_SIZE")
