"""Leftovers of dead live runs: processes, folders of brokers and evidence, and topics.

A run counts as dead if it is not published, nothing holds its lock, and its owner was a command on
this machine or it is recorded as failed. Runs of others, and runs between two tasks of Airflow, are
left alone.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from live.kafka import small_disks, topics
from live.login.client_properties import NO_PROPERTIES, ClientProperties
from live.processes import child_processes
from pipeline.base.errors import InputError, StageError
from pipeline.base.paths import Paths
from pipeline.warehouse.runs import lock, scratch_folders
from pipeline.warehouse.storage import reader
from schemas.tables.common.runs import FAILED, PUBLISHED

KILL_SECONDS = 10.0
"""For how long a killed process may take to vanish."""


class Remains(NamedTuple):
    """What one dead run has left."""

    name: str
    """Run id, or name of the folder of a command."""
    home: Path
    """Folder whose lock the run held."""
    folder: Path | None
    """Folder of brokers, logs and evidence; None if it is gone."""
    processes: Mapping[int, str]
    """Command lines by process id."""
    topics: tuple[str, ...] = ()
    """Runs on the cluster, as in the names of their topics: one per stream and strategy."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left."""
        return not (self.folder or self.processes or self.topics)


def find(
    here: Paths, bootstrap: str | None = None, properties: ClientProperties = NO_PROPERTIES
) -> list[Remains]:
    """What is left of the dead runs of a warehouse and of commands that died.

    bootstrap: Brokers of a cluster of your own; None not to look for topics.
    Raises InputError if no broker answers.
    """
    on_cluster = [] if bootstrap is None else topics.runs(bootstrap, properties.confluent)
    leftovers = [
        Remains(run_id, home, *_left_in(here.live(run_id)), _topics_of(run_id, on_cluster))
        for run_id, home in _dead_runs(here)
    ]
    leftovers += [
        Remains(folder.name, folder, *_left_in(folder))
        for folder in sorted(scratch_folders.place().glob("*-*"))
        if not _is_locked(folder)
    ]
    return [each for each in leftovers if not each.is_empty]


def remove(
    remains: Remains, bootstrap: str | None = None, properties: ClientProperties = NO_PROPERTIES
) -> None:
    """Remove what a dead run has left.

    Raises InputError if the run has begun again since; nothing is removed then.
    Raises StageError if a process, a mounted disk or topics do not go.
    """
    lock.claim(remains.home, remains.name, alone=True)
    try:
        _kill(remains.processes)
        for run in remains.topics:
            topics.delete(bootstrap or "", run, properties.confluent)
        if remains.folder is not None:
            small_disks.unmount_below(remains.folder)
            shutil.rmtree(remains.folder)
    finally:
        lock.release(remains.home)


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _dead_runs(here: Paths) -> Iterator[tuple[str, Path]]:
    homes = {file.parent.name: file.parent for file in here.state("x").parent.glob("*/run.json")}
    statuses = _statuses(here, list(homes))
    for run_id, home in sorted(homes.items()):
        recorded = _recorded(home)
        config = recorded.get("config", {})
        is_live = any(config.get(family) for family in ("live", "pulsar", "brokers"))
        host, _, pid = str(recorded.get("owner", "")).rpartition(":")
        is_here = host == socket.gethostname() and pid.isdigit()
        is_over = statuses.get(run_id) == FAILED or is_here
        if is_live and is_over and statuses.get(run_id) != PUBLISHED and not _is_locked(home):
            yield run_id, home


def _statuses(here: Paths, run_ids: list[str]) -> dict[str, str]:
    rows = reader.of(here).rows("runs", ("run_id", "status"), run_id=run_ids).to_pylist()
    return {row["run_id"]: row["status"] for row in rows}


def _recorded(home: Path) -> dict[str, Any]:
    try:
        recorded: dict[str, Any] = json.loads((home / "run.json").read_text())
    except (OSError, ValueError):
        return {}
    return recorded


def _is_locked(home: Path) -> bool:
    try:
        lock.claim(home, home.name, alone=True)
    except InputError:
        return True
    lock.release(home)
    return False


def _left_in(folder: Path) -> tuple[Path | None, dict[int, str]]:
    return (folder if folder.is_dir() else None), _processes_of(folder)


def _processes_of(folder: Path) -> dict[int, str]:
    """Processes of this user that a run has started, whose logs are in its folder.

    A process that only names a file there, such as one that shows a log, is none of the run's.
    """
    mark = f"{child_processes.LOG}={folder}/".encode()
    commands = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (place / "cmdline").read_bytes().decode(errors="replace").split("\0")
            is_mine = place.stat().st_uid == os.getuid() and int(place.name) != os.getpid()
            if is_mine and _is_marked(place, mark):
                commands[int(place.name)] = " ".join(words).strip()
    return dict(sorted(commands.items()))


def _is_marked(place: Path, mark: bytes) -> bool:
    variables = (place / "environ").read_bytes().split(b"\0")
    return any(variable.startswith(mark) for variable in variables)


def _topics_of(run_id: str, on_cluster: list[str]) -> tuple[str, ...]:
    """A run has topics for each stream and strategy, which are numbered."""
    numbered = (run.rpartition(".") for run in on_cluster)
    return tuple(f"{own}.{n}" for own, _, n in numbered if own == run_id and n.isdigit())


def _kill(processes: Mapping[int, str]) -> None:
    # An id may belong to another process by now.
    for pid, words in processes.items():
        with suppress(OSError):
            now = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
            if " ".join(now.split("\0")).strip() == words:
                os.kill(pid, signal.SIGKILL)
    until = time.monotonic() + KILL_SECONDS
    while left := [pid for pid, words in processes.items() if _runs(pid, words)]:
        if time.monotonic() > until:
            raise StageError(f"cannot kill process {left[0]}: {processes[left[0]]}")
        time.sleep(0.05)


def _runs(pid: int, words: str) -> bool:
    """Whether a process with this command line still runs; a zombie has none."""
    with suppress(OSError):
        now = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        return " ".join(now.split("\0")).strip() == words
    return False
