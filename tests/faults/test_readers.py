"""Output whose reader is gone: the run continues and is published."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

from tests.e2e.run_tables import statuses
from tests.faults.breaking import PATIENCE, RUN, assert_same_rows, mark, wait_for
from tests.faults.conftest import Start


def test_a_pipe_whose_reader_has_seen_enough(start: Start, whole: Path, shared: Path) -> None:
    place = shared / "readers"
    reading, writing = os.pipe()
    process = start(*RUN, "--run-id", "head", "--warehouse", str(place), stdout=writing)
    os.close(writing)
    assert os.read(reading, 4) == b"Run "
    os.close(reading)
    assert process.end() == 0, process.said
    assert "Error" not in process.said
    assert "Note" not in process.said
    assert statuses(place)["head"] == "published"
    assert_same_rows(place, "head", whole)


def test_a_disk_that_is_full(start: Start, whole: Path, shared: Path) -> None:
    place = shared / "readers"
    full = os.open("/dev/full", os.O_WRONLY)
    process = start(*RUN, "--run-id", "full", "--warehouse", str(place), stdout=full)
    os.close(full)
    assert process.end() == 0, process.said
    last = process.said.splitlines()[-1]
    assert last.startswith("Note: ")
    assert "(No space left on device)" in last
    assert statuses(place)["full"] == "published"


def test_a_terminal_that_is_lost(start: Start, whole: Path, shared: Path) -> None:
    place = shared / "readers"
    ours, theirs = pty.openpty()
    process = start(*RUN, "--run-id", "lost", "--warehouse", str(place), terminal=theirs)
    os.close(theirs)
    wait_for(mark(place, "lost", "run_algorithms").exists, process, "run_algorithms")
    assert os.read(ours, 4) == b"Run "
    # The kernel sends SIGHUP to the whole session.
    os.close(ours)
    assert process.end() == 0
    assert statuses(place)["lost"] == "published"
    assert_same_rows(place, "lost", whole)


def test_answers_that_nobody_takes(whole: Path) -> None:
    asked = f"groupscale sql --warehouse {whole} 'SELECT * FROM measurements' --format csv"
    for shell, status in ((f"{asked} | head -1", 0), (f"{asked} > /dev/full", 1)):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", shell],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
