"""Processes that outlive the command that starts them, and are found again without mistake.

A number of a process is given to another one some day; number, time of start and boot together
are not. Each service leads a session of its own, which its children stay in.
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

from tools.console import SetupError

PROC = Path("/proc")
BOOT = PROC / "sys/kernel/random/boot_id"
LOOK_EVERY_SECONDS = 0.1
ZOMBIE = "Z"


@dataclass(frozen=True)
class Process:
    """What the kernel says of a process; ``started`` is in ticks since the machine started."""

    pid: int
    parent: int
    session: int
    started: int


@dataclass(frozen=True)
class Leader:
    """A process that was started here, and the folder that it was started in."""

    pid: int
    started: int
    boot: str
    folder: str


def everything() -> dict[int, Process]:
    """All processes by number, but for those that have ended and are not yet waited for."""
    found = (_read(entry) for entry in PROC.glob("[0-9]*"))
    return {process.pid: process for process in found if process is not None}


def is_alive(leader: Leader, seen: Mapping[int, Process] | None = None) -> bool:
    """Whether that very process is still there, not another one of the same number."""
    found = (everything() if seen is None else seen).get(leader.pid)
    return found is not None and found.started == leader.started and leader.boot == boot()


def boot() -> str:
    """What tells this start of the machine from every other one."""
    return BOOT.read_text().strip()


def start(
    command: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    log: Path,
    user: str | None = None,
) -> Leader:
    """Start a process in a session of its own; what it says goes to ``log``.

    The log of the time before is kept as ``NAME.log.1``. The process appends to its log, so that
    the log can be emptied while it runs.

    Raises
    ------
    SetupError
        If this is no Linux, or the program cannot be started.
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
    found = _read(PROC / str(process.pid))
    # Nobody waits for it here: it goes on when this command has ended.
    process.returncode = 0
    started = found.started if found is not None else -1
    return Leader(process.pid, started, boot(), str(folder))


def as_user(user: str | None) -> dict[str, Any]:
    """Options of `subprocess` that give up root's rights for those of a user."""
    return {} if user is None else {"user": user, "group": _group(user), "extra_groups": []}


def stop(leader: Leader, number: signal.Signals, alone: bool, seconds: float) -> None:
    """End a process and all that it has started; kill what does not end in time.

    Parameters
    ----------
    number
        The signal that asks to end.
    alone
        Whether only the leader is asked, which then ends its children itself.

    Raises
    ------
    SetupError
        If the processes are another user's, or the system cannot end them.
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
    """The leader, its session, and their descendants; nobody, if none is left.

    The system gives no new process the number of a session that still has members. If the leader
    is gone, those who are left are its own, unless the number has been given anew and that
    process has gone too: then they work in another folder.
    """
    if leader.boot != boot():
        return []
    found = seen.get(leader.pid)
    if found is not None and found.started != leader.started:
        return []
    session = [
        process
        for process in seen.values()
        if process.session == leader.pid and process.started >= leader.started
    ]
    if found is None:
        session = [process for process in session if _works_in(process, Path(leader.folder))]
    return _with_descendants(session, seen)


def _with_descendants(first: Iterable[Process], seen: Mapping[int, Process]) -> list[Process]:
    children: dict[int, list[Process]] = {}
    for process in seen.values():
        children.setdefault(process.parent, []).append(process)
    found: dict[int, Process] = {}
    waiting = list(first)
    while waiting:
        process = waiting.pop()
        if process.pid not in found:
            found[process.pid] = process
            waiting.extend(children.get(process.pid, []))
    return list(found.values())


def _gone(mine: Sequence[Process], leader: Leader, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while _left(mine, leader):
        if time.monotonic() > until:
            return False
        time.sleep(LOOK_EVERY_SECONDS)
    return True


def _left(mine: Iterable[Process], leader: Leader) -> list[Process]:
    """Those that still live, and those that they have started meanwhile."""
    seen = everything()
    known = [seen[p.pid] for p in mine if p.pid in seen and seen[p.pid].started == p.started]
    return _with_descendants([*known, *family(leader, seen)], seen)


def _signal(processes: Iterable[Process], number: signal.Signals) -> None:
    for process in processes:
        found = _read(PROC / str(process.pid))
        if found is None or found.started != process.started:
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


def _read(entry: Path) -> Process | None:
    """Read one process; None if it is gone, or a zombie."""
    try:
        text = (entry / "stat").read_text(errors="replace")
    except OSError:
        return None
    # The name is in parentheses, and may have any of these and blanks in it.
    fields = text.rpartition(")")[2].split()
    if fields[0] == ZOMBIE:
        return None
    return Process(int(entry.name), int(fields[1]), int(fields[3]), int(fields[19]))


def _group(user: str) -> int:
    import pwd

    return pwd.getpwnam(user).pw_gid
