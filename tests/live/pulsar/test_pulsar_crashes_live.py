"""Pulsar or the whole run is killed: a line, nothing acknowledged lost, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from live.pulsar.standalone import EXTENDED, START_SECONDS, PulsarFailed, Standalone
from tests.live.process_probe import eventually, is_gone
from tests.live.pulsar import faulted_run

pytestmark = pytest.mark.live

ROOT = Path(__file__).resolve().parents[3]
GROUPSCALE = (sys.executable, "-m", "pipeline.cli.app")


class _Kept(Standalone):
    """Can be started again on its data."""

    def start_again(self) -> None:
        """Start it as after a crash, and wait until its worker leads."""
        self._launch()
        self._wait(time.monotonic() + START_SECONDS)


def test_functions_of_a_pulsar_that_is_killed_go_on_when_it_starts_again(tmp_path: Path) -> None:
    folder = tmp_path / "crashed"
    with _Kept(tmp_path / "standalone", EXTENDED) as pulsar:
        child = pulsar.child
        assert child is not None
        killed: list[float] = []

        def kill() -> None:
            os.kill(child.pid, signal.SIGKILL)
            killed.append(time.monotonic())

        # More than one instance can process, so records wait when Pulsar dies.
        run = faulted_run.scaled(faulted_run.application(20.0, 16.0, 0.1))
        with (
            faulted_run.meanwhile(folder, 6.0, kill),
            pytest.raises(PulsarFailed, match="Pulsar has ended") as failed,
        ):
            faulted_run.run(pulsar, run, folder)
        took_s = time.monotonic() - killed[0]
        assert "\n" not in str(failed.value)
        assert took_s < 30.0
        acknowledged = faulted_run.acknowledged(folder)
        began = time.monotonic()
        pulsar.start_again()
        again_s = time.monotonic() - began
        stored = faulted_run.stored(pulsar, "crashed-images")
        waiting = acknowledged.difference(faulted_run.came_out(folder))
        later = faulted_run.read_rest(pulsar, "crashed-", waiting, 120.0)
        resumed_s = time.monotonic() - began
        counts = faulted_run.counts(folder, later)
        print(
            f"Pulsar killed: of {len(acknowledged)} acknowledged events {len(stored)} are stored; "
            f"ended after {took_s:.1f} s, again after {again_s:.1f} s; the function went on by "
            f"itself: {len(waiting)} that waited are out after {resumed_s:.1f} s; {counts}"
        )
        assert len(acknowledged) >= 20
        assert acknowledged <= stored
        assert len(waiting) >= 10
        assert counts.lost == 0
        last = pulsar.child
        assert last is not None
    assert is_gone(last.pid)
    assert not (tmp_path / "standalone" / "pulsar").exists()


@pytest.fixture
def command(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run on Pulsar, started; ended with the test."""
    words = ("run", "--preset", "pulsar-smoke", "--run-id", "r1", "--warehouse", str(tmp_path))
    with subprocess.Popen(
        [*GROUPSCALE, *words], cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        yield process
        process.kill()


def test_clean_removes_what_a_killed_run_has_left(
    command: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    def is_at_work() -> bool:
        assert command.poll() is None, "the run has ended by itself"
        return any(tmp_path.rglob("began.json"))

    assert eventually(is_at_work, 420.0)
    processes = [child.pid for child in psutil.Process(command.pid).children(recursive=True)]
    # Pulsar, load and loop, and Spark.
    assert len(processes) > 3
    os.kill(command.pid, signal.SIGKILL)
    command.wait(20.0)
    assert eventually(lambda: all(map(is_gone, processes)))
    (left,) = clean(tmp_path)
    print(f"run killed: {left['folder_bytes']:,} bytes left, processes: {left['processes']}")
    assert (left["name"], left["processes"]) == ("r1", [])
    assert left["folder_bytes"] > 0
    assert not Path(left["folder"]).exists()
    assert clean(tmp_path) == []


def clean(warehouse: Path) -> list[dict[str, Any]]:
    """What ``groupscale live clean`` removes."""
    words = [*GROUPSCALE, "live", "clean", "--json", "--warehouse", str(warehouse)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows
