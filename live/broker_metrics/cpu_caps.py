"""Processors for processes: a CPU cgroup for each, with a quota, where the system allows it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Self

from pipeline.base.errors import InputError

PERIOD_US = 10_000
"""Period of a quota, µs. A process that has used it up waits for the next period, so that longer
ones would themselves be the latency that is measured."""

MOST_CORES = 1.5
"""Limit of all quotas together: on a machine of two cores, clients need the rest."""

BROKER_CORES = 0.2
"""Quota of each broker where latency is measured against their number."""

SELF, MOUNTS = Path("/proc/self/cgroup"), Path("/proc/self/mounts")

_PREFIX = "groupscale-"
_REMEDY = "run as root on Linux with CPU cgroups, or measure without caps"


class Hierarchy(NamedTuple):
    """Where this process's CPU cgroup is."""

    folder: Path
    is_unified: bool
    """Whether it is of version 2."""


class Caps:
    """Lets each process use at most so much of a core; a context manager, which lifts all caps.

    most: How many processes there are at most at a time.
    cores: Of each process.
    Raises InputError if all quotas exceed `MOST_CORES`, or the system does not allow it.
    """

    def __init__(self, most: int, cores: float) -> None:
        self._place, self._cores = check(most, cores), cores
        self._groups: dict[int, tuple[int, Path]] = {}

    def __enter__(self) -> Self:
        remove_leftovers(self._place.folder)
        return self

    def __exit__(self, *_: object) -> None:
        self.lift(list(self._groups))

    def add(self, processes: Mapping[int, int]) -> None:
        """Cap process ids by the name of their group, a number; they may end meanwhile."""
        try:
            for number, process in processes.items():
                group = self._place.folder / f"{_PREFIX}{os.getpid()}-{number}"
                self._groups[number] = process, group
                _cap(process, group, self._cores, self._place.is_unified)
        except OSError as error:
            raise InputError(f"cannot cap processors ({error}); {_REMEDY}") from None

    def lift(self, numbers: Iterable[int]) -> None:
        """Cap these groups no longer; unknown ones are passed over."""
        for number in numbers:
            if number in self._groups:
                _release(*self._groups.pop(number), self._place.folder)


@contextmanager
def capped(processes: Mapping[int, int], cores: float) -> Iterator[None]:
    """Cap processes until this is left; as `Caps` otherwise."""
    with Caps(len(processes), cores) as caps:
        caps.add(processes)
        yield


def check(number: int, cores: float) -> Hierarchy:
    """The CPU cgroup in which so many processes can be capped. Raises InputError if none can."""
    if not 0.0 < cores * number <= MOST_CORES + 1e-9:
        raise InputError(
            f"`cores` must be above 0 and at most {MOST_CORES:g} in all (got {number} brokers with "
            f"{cores:g} each); cap fewer brokers, or lower"
        )
    return hierarchy()


def hierarchy() -> Hierarchy:
    """The CPU cgroup of this process. Raises InputError if there is none that can be written."""
    paths = {controllers: path for _, controllers, path in _groups()}
    for controllers, path in paths.items():
        if "cpu" in controllers.split(","):
            return _writable(_mounted("cgroup", "cpu") / path.lstrip("/"), is_unified=False)
    folder = _mounted("cgroup2", "") / paths.get("", "").lstrip("/")
    if "cpu" not in _text(folder / "cgroup.controllers").split():
        raise InputError(f"cannot cap processors (no CPU cgroup); {_REMEDY}")
    return _writable(folder, is_unified=True)


def remove_leftovers(folder: Path) -> None:
    """Remove groups of processes of ours that were killed; those that are in use stay."""
    for group in folder.glob(f"{_PREFIX}*"):
        owner = group.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path("/proc", owner).exists():
            with suppress(OSError):
                group.rmdir()


def _cap(process: int, group: Path, cores: float, is_unified: bool) -> None:
    quota = round(cores * PERIOD_US)
    if is_unified:
        with suppress(OSError):  # It is enabled already, or the next line fails.
            (group.parent / "cgroup.subtree_control").write_text("+cpu")
    group.mkdir()
    if is_unified:
        (group / "cpu.max").write_text(f"{quota} {PERIOD_US}")
    else:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (group / "cpu.cfs_quota_us").write_text(str(quota))
    (group / "cgroup.procs").write_text(str(process))


def _release(process: int, group: Path, parent: Path) -> None:
    """Move a process back, and remove its group; the process may have ended."""
    with suppress(OSError):
        (parent / "cgroup.procs").write_text(str(process))
    with suppress(OSError):
        group.rmdir()


def _groups() -> list[list[str]]:
    """Groups of this process: number, controllers (none in version 2) and path."""
    return [line.split(":", 2) for line in _text(SELF).splitlines()]


def _writable(folder: Path, is_unified: bool) -> Hierarchy:
    if not os.access(folder, os.W_OK):
        raise InputError(f"cannot cap processors (cannot write to {folder}); {_REMEDY}")
    return Hierarchy(folder, is_unified)


def _mounted(kind: str, option: str) -> Path:
    """Where cgroups of a kind are mounted, with this option unless it is empty."""
    for line in _text(MOUNTS).splitlines():
        _, place, its_kind, options, *_ = line.split()
        if its_kind == kind and (not option or option in options.split(",")):
            return Path(place)
    raise InputError(f"cannot cap processors (no CPU cgroup is mounted); {_REMEDY}")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""
