"""Runs the processes of one service together: if one ends, all end."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from tools.console import SetupError, say

GRACE_SECONDS = 15.0
LOOK_EVERY_SECONDS = 0.5


def run_together(
    commands: Mapping[str, Sequence[str]],
    env: Mapping[str, str],
    logs: Path,
    is_ready: Callable[[], bool],
    when_ready: str,
) -> None:
    """Start processes, print when they are ready, and end them on request.

    Ctrl-C and SIGTERM request the end.

    commands: Command line of each process by name; its output goes to ``NAME.log`` in ``logs``.
    is_ready: Whether the service answers.
    Raises SetupError if one of the processes ends by itself; the others are ended as well.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    logs.mkdir(parents=True, exist_ok=True)
    running: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name, command in commands.items():
            running[name] = _start(command, env, logs / f"{name}.log")
        _watch(running, logs, is_ready, when_ready)
    except KeyboardInterrupt:
        say("\nStopping")
    finally:
        _end(running.values())


def _watch(
    running: Mapping[str, subprocess.Popen[bytes]],
    logs: Path,
    is_ready: Callable[[], bool],
    when_ready: str,
) -> NoReturn:
    announced = False
    while True:
        _check_alive(running, logs)
        if not announced and is_ready():
            say(when_ready)
            announced = True
        time.sleep(LOOK_EVERY_SECONDS)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _check_alive(running: Mapping[str, subprocess.Popen[bytes]], logs: Path) -> None:
    for name, process in running.items():
        status = process.poll()
        if status is not None:
            raise SetupError(f"{name} exited with status {status}; see {logs / name}.log")


def _start(command: Sequence[str], env: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        return subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )


def _end(processes: Collection[subprocess.Popen[bytes]]) -> None:
    """Ask all processes to end; kill those that do not in time."""
    for process in processes:
        process.terminate()
    until = time.monotonic() + GRACE_SECONDS
    for process in processes:
        try:
            process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
