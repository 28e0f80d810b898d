"""Ways to break a run, and to look at what is left of it."""

from __future__ import annotations

import fcntl
import os
import resource
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from pipeline.experiments.family_list import family
from tests.e2e.conftest import settings
from tests.e2e.run_tables import rows

TINY = (
    *("partitions=4", "iterations=5", "deltas=5", "replicates=2", "bound_iterations=2"),
    "algorithms=MWF,NF,kd_2",
)
RUN = ("run", "--preset", "smoke", *settings(*TINY))
PATIENCE = 600
WHOLE = "whole"
"""Id of the undisturbed run."""

COMPARED = (*family("assignment").tables, "validations")
"""Tables of the runs here whose rows depend on the configuration only, not on earlier runs."""


class Process:
    """``groupscale`` in a session of its own, its words in a file.

    Parameters
    ----------
    limit
        Size of the largest file that it may write.
    stdout
        Where its standard output goes if not to the file.
    terminal
        The terminal of its session, where all of its output goes.
    like_others
        Whether root, too, is refused what the modes of files forbid.
    """

    def __init__(
        self,
        words: tuple[str, ...],
        log: Path,
        env: Mapping[str, str],
        limit: int | None = None,
        stdout: int | None = None,
        terminal: int | None = None,
        like_others: bool = False,
    ) -> None:
        self.log = log
        with log.open("w") as out:
            chosen = out.fileno() if terminal is None else terminal
            self.popen = subprocess.Popen(
                [*_as_others(like_others), sys.executable, "-m", "pipeline.cli.app", *words],
                stdout=chosen if stdout is None else stdout,
                stderr=chosen,
                stdin=subprocess.DEVNULL if terminal is None else terminal,
                start_new_session=True,
                env=os.environ | env,
                preexec_fn=_prepared(limit, terminal),
            )

    @property
    def said(self) -> str:
        return self.log.read_text()

    def end(self) -> int:
        """Wait for the end; the exit status."""
        return self.popen.wait(timeout=PATIENCE)

    def members(self) -> list[int]:
        """Processes of the session: workers of Python make process groups of their own."""
        return [int(p.name) for p in Path("/proc").glob("[0-9]*") if _session(p) == self.popen.pid]

    def kill(self) -> None:
        """End all processes of the session without a chance to tidy up."""
        self.popen.send_signal(signal.SIGSTOP)  # it starts no more processes
        while pids := [pid for pid in self.members() if pid != self.popen.pid]:
            for pid in pids:
                _kill(pid)
            time.sleep(0.02)
        self.popen.kill()
        self.popen.wait()


def _as_others(like_others: bool) -> list[str]:
    """What takes from root the capabilities to read and write whatever the modes of files say."""
    if not like_others or os.geteuid() != 0:
        return []
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def _prepared(limit: int | None, terminal: int | None) -> Callable[[], None] | None:
    """What a process does with itself before it becomes the command."""
    if limit is not None:
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    if terminal is not None:
        return lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0) and None
    return None


def _session(process: Path) -> int | None:
    """Session of a process, None for one that has ended."""
    try:
        fields = (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[3])


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def mark(warehouse: Path, run_id: str, step: str) -> Path:
    """File that shows that a step of a run is running."""
    return warehouse / ".state" / run_id / "at-work" / step


def wait_for(what: Callable[[], bool], process: Process, meaning: str) -> None:
    """Wait until something is so, while the process lives."""
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert process.popen.poll() is None, f"{meaning}: {process.said}"
        assert time.monotonic() < deadline, f"{meaning}: not within {PATIENCE} s"
        time.sleep(0.003)


def assert_same_rows(warehouse: Path, run_id: str, other: Path, other_id: str = WHOLE) -> None:
    """Every table holds the same rows of both runs, bit for bit except times."""
    for table in COMPARED:
        mine, theirs = rows(warehouse, table, run_id), rows(other, table, other_id)
        assert len(mine) > 0, table
        untimed = [name for name in mine.columns if name != "checked_at"]
        assert_frame_equal(mine[untimed], theirs[untimed], check_exact=True, obj=table)


def copied(warehouse: Path, to: Path) -> Path:
    """A copy of a warehouse: Delta's logs name files relative to their table."""
    shutil.copytree(warehouse, to)
    return to


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[Path]:
    """A folder mounted as ``mount`` says; the test is skipped where that is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["mount", *options, str(folder)], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"cannot mount here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
