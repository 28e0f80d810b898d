"""Live runs that are ended from outside: section 11's last row of faults."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.live

ROOT = Path(__file__).resolve().parents[2]
GROUPSCALE = (sys.executable, "-m", "pipeline.cli.app")


@contextmanager
def started(preset: str, run_id: str, warehouse: Path) -> Iterator[subprocess.Popen[str]]:
    """A run, killed in the end."""
    words = ("run", "--preset", preset, "--run-id", run_id, "--warehouse", str(warehouse))
    with subprocess.Popen(
        [*GROUPSCALE, *words], cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        yield process
        process.kill()


@pytest.fixture
def command(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The live run, started; ended with the test."""
    with started("live-smoke", "r1", tmp_path) as process:
        yield process


def wait_for(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.2)


def is_alive(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def runs(warehouse: Path, *words: str) -> list[dict[str, object]]:
    """What ``groupscale runs`` lists."""
    listed = [*GROUPSCALE, "runs", *words, "--json", "--warehouse", str(warehouse)]
    entries: list[dict[str, object]] = json.loads(
        subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    )
    return entries


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_no_process_is_left_and_nothing_published(
    command: subprocess.Popen[str], tmp_path: Path, number: int, status: int
) -> None:
    def is_at_work() -> bool:
        assert command.poll() is None, "the run has ended by itself"
        return any('"started"' in file.read_text() for file in tmp_path.rglob("controller.jsonl"))

    wait_for(is_at_work, 120.0)
    processes = psutil.Process(command.pid).children(recursive=True)
    # Broker, producer, controller and consumers, and Spark.
    assert len(processes) > 4

    os.kill(command.pid, number)
    _, said = command.communicate(timeout=60)

    assert command.returncode == status
    wait_for(lambda: not any(is_alive(process) for process in processes), 20.0)
    assert runs(tmp_path) == []
    if number != signal.SIGKILL:
        assert f"interrupted ({signal.Signals(number).name})" in said
        assert [run["run_id"] for run in runs(tmp_path, "--failed")] == ["r1"]


def members(command: subprocess.Popen[str], folder: Path) -> list[int]:
    """Processes of a group that asks, as soon as it has partitions."""
    journals: list[Path] = []

    def have_partitions() -> bool:
        assert command.poll() is None, "the run has ended by itself"
        files = folder.rglob("journal/c*.jsonl")
        journals[:] = [file for file in files if '"assigned"' in file.read_text()]
        return bool(journals)

    wait_for(have_partitions, 240.0)
    return [json.loads(file.read_text().splitlines()[0])["pid"] for file in journals]


def test_members_of_a_killed_run_end_and_the_next_one_starts(tmp_path: Path) -> None:
    with started("group-smoke", "r1", tmp_path) as command:
        own = members(command, tmp_path)
        processes = psutil.Process(command.pid).children(recursive=True)
        assert set(own) <= {process.pid for process in processes}
        os.kill(command.pid, signal.SIGKILL)
        wait_for(lambda: not any(is_alive(process) for process in processes), 20.0)
    assert runs(tmp_path) == []
    with started("group-smoke", "r2", tmp_path) as command:
        assert not set(own) & set(members(command, tmp_path / ".state" / "r2"))
