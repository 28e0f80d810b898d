"""Processes that outlive the command that starts them, and can be identified later.

Each service leads its own session, in which its children stay.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.base.process.process_table import (
    BOOT,
    PROC,
    Process,
    boot,
    everything,
    is_same,
    look_up,
)
from tools.console import SetupError

LOOK_EVERY_SECONDS = 0.1


@dataclass(frozen=True)
class Leader:
    """A process started by this module, and its working folder."""

    pid: int
    started: int
    boot: str
    folder: str


def is_alive(leader: Leader, seen: Mapping[int, Process] | None = None) -> bool:
    """Whether this process is still alive, not another one with the same id."""
    current = look_up(leader.pid) if seen is None else seen.get(leader.pid)
    return is_same(current, leader.started, leader.boot)


def start(
    command: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    log: Path,
    user: str | None = None,
) -> Leader:
    """Start a process in its own session; its output goes to ``log``.

    The previous log is kept as ``NAME.log.1``. The process appends to its log, so that the log can
    be emptied while it runs.

    Raises SetupError if this is not Linux, or the program cannot be started.
    """
    if not BOOT.exists():
        raise SetupError(
            "`make up` requires Linux; on other systems, start the services with Docker"
        )
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists():
        log.replace(log.with_name(f"{log.name}.1"))
    with log.open("ab") as output:
        try:
            process = subprocess.Popen(
                command,
                env=env,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                **as_user(user),
            )
        except OSError as error:
            raise SetupError(f"cannot start {command[0]}: {error}") from error
    current = look_up(process.pid)
    # This command does not wait for it: it continues after this command has ended.
    process.returncode = 0
    started = current.started if current is not None else -1
    return Leader(process.pid, started, boot(), str(folder))


def as_user(user: str | None) -> dict[str, Any]:
    """Options of `subprocess` that drop root's rights for those of a user."""
    return {} if user is None else {"user": user, "group": _group(user), "extra_groups": []}


def stop(leader: Leader, number: signal.Signals, alone: bool, seconds: float) -> None:
    """End a process and all its descendants; kill those that do not end in time.

    number: The signal that requests the end.
    alone: Whether only the leader gets the signal, which then ends its children itself.
    Raises SetupError if the processes are another user's, or the system cannot end them.
    """
    seen = everything()
    mine = family(leader, seen)
    asked = [seen[leader.pid]] if alone and is_alive(leader, seen) else mine
    _signal(asked, number)
    if not _gone(mine, leader, seconds):
        _signal(_left(mine, leader), signal.SIGKILL)
        if not _gone(mine, leader, seconds):
            left = ", ".join(str(process.pid) for process in _left(mine, leader))
            raise SetupError(f"cannot stop these processes: {left}")


def family(leader: Leader, seen: Mapping[int, Process]) -> list[Process]:
    """The leader, its session, and their descendants; empty if none is left.

    The system does not reuse the id of a session that still has members. If the leader is gone,
    remaining members are its own, unless the id was reused and that process is gone too: then they
    work in another folder.
    """
    if leader.boot != boot():
        return []
    current = seen.get(leader.pid)
    if current is not None and current.started != leader.started:
        return []
    session = [
        process
        for process in seen.values()
        if process.session == leader.pid and process.started >= leader.started
    ]
    if current is None:
        session = [process for process in session if _works_in(process, Path(leader.folder))]
    return _with_descendants(session, seen)


def _with_descendants(first: Iterable[Process], seen: Mapping[int, Process]) -> list[Process]:
    children: dict[int, list[Process]] = {}
    for process in seen.values():
        children.setdefault(process.parent, []).append(process)
    by_id: dict[int, Process] = {}
    waiting = list(first)
    while waiting:
        process = waiting.pop()
        if process.pid not in by_id:
            by_id[process.pid] = process
            waiting.extend(children.get(process.pid, []))
    return list(by_id.values())


def _gone(mine: Sequence[Process], leader: Leader, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while _left(mine, leader):
        if time.monotonic() > until:
            return False
        time.sleep(LOOK_EVERY_SECONDS)
    return True


def _left(mine: Iterable[Process], leader: Leader) -> list[Process]:
    """Processes that are still alive, and those that they have started since."""
    seen = everything()
    earlier = [seen[p.pid] for p in mine if p.pid in seen and seen[p.pid].started == p.started]
    return _with_descendants([*earlier, *family(leader, seen)], seen)


def _signal(processes: Iterable[Process], number: signal.Signals) -> None:
    for process in processes:
        current = look_up(process.pid)
        if current is None or current.started != process.started:
            continue
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            continue
        except PermissionError as error:
            raise SetupError(
                f"process {process.pid} belongs to another user; run `make down` as the user who "
                "ran `make up`"
            ) from error


def _works_in(process: Process, folder: Path) -> bool:
    with suppress(OSError):
        return (PROC / str(process.pid) / "cwd").readlink().is_relative_to(folder.resolve())
    return False


def _group(user: str) -> int:
    import pwd

    return pwd.getpwnam(user).pw_gid
