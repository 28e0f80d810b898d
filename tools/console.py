"""One-line messages, and commands whose output goes to a log instead of the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from pipeline.base.text.failure_cause import cause

LIMIT_SECONDS = 6 * 3600.0
"""Timeout of a command that may wait for a network, a lock or a database. The longest, the first
small run, takes four minutes on two quiet cores; this only ends what hangs."""


class SetupError(Exception):
    """Set-up cannot go on; the message is one line that says what to do."""


class CommandFailed(Exception):
    """A command failed; ``cause`` is the most useful line of its output."""

    def __init__(self, cause: str, log: Path) -> None:
        super().__init__(f"{cause} (log: {log})")
        self.cause = cause


def words(*parts: str | Path) -> list[str]:
    """Return a command line made of words and paths."""
    return [str(part) for part in parts]


def say(text: str) -> None:
    """Print one line to standard error, which leaves standard output to the programs.

    The work continues if standard error is closed.
    """
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except OSError:
        # Python flushes once more at its end, and would change the exit status then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


@contextmanager
def step(text: str) -> Iterator[None]:
    """Announce a step of set-up and print how long it took."""
    say(f"set-up: {text}")
    started = time.monotonic()
    yield
    say(f"        done in {time.monotonic() - started:.0f} s")


def logged(command: Sequence[str], env: Mapping[str, str], cwd: Path, log: Path) -> str:
    """Run a command, append its output to ``log`` and return it.

    Raises CommandFailed if the exit status is not 0, or the program cannot be started, or does not
        end.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a+") as file:
        file.write(f"$ {' '.join(command)}\n")
        file.flush()
        start = file.tell()
        status = _run(command, env, cwd, file.fileno(), log)
        file.seek(start)
        output = file.read()
    if status != 0:
        raise CommandFailed(cause(output) or f"exit status {status}", log)
    return output


def _run(command: Sequence[str], env: Mapping[str, str], cwd: Path, output: int, log: Path) -> int:
    try:
        return subprocess.run(
            command,
            env=env,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=LIMIT_SECONDS,
        ).returncode
    except subprocess.TimeoutExpired as error:
        raise CommandFailed(f"not finished after {LIMIT_SECONDS:.0f} s", log) from error
    except OSError as error:
        raise CommandFailed(str(error), log) from error
