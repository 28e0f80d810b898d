"""A run that is killed can be run again, and ends with the rows of an undisturbed one.

The two run on other numbers of cores, with proved bounds.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from tests.e2e.conftest import SMALL, Start, settings
from tests.e2e.run_tables import DATA_TABLES, rows, statuses

pytestmark = [pytest.mark.e2e, pytest.mark.spark, pytest.mark.slow]

PATIENCE = 420
BOUNDED = (
    *("algorithms=MWF,BFD,kd_2", "partitions=12", "deltas=25", "replicates=2"),
    *("bound_iterations=2", "bound_seconds=1"),
)


def wait_for(stage: str, warehouse: Path, run_id: str, process: subprocess.Popen[str]) -> None:
    """Wait until a stage of a run has ended, while the run goes on."""
    timings = warehouse / ".state" / run_id / "timings.jsonl"
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None, process.stdout.read() if process.stdout else ""
        if timings.exists() and f'"{stage}"' in timings.read_text():
            return
        time.sleep(0.1)
    raise AssertionError(f"{stage} did not end within {PATIENCE} s")


def test_killed_and_run_again_on_other_cores(start: Start, tmp_path: Path) -> None:
    run = ("run", "--preset", "smoke", *settings(*SMALL, *BOUNDED), "--run-id", "night")
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    first = start(*run, "--warehouse", str(broken))
    wait_for("generate_streams", broken, "night", first)

    second = start(*run, "--warehouse", str(broken))
    said, _ = second.communicate(timeout=PATIENCE)
    assert second.returncode == 2, said
    assert "run_id 'night' is in use by a running run" in said

    with first:
        os.killpg(first.pid, signal.SIGKILL)
    assert statuses(broken) == {"night": "running"}

    again = start(*run, "--warehouse", str(broken), master="local[2]")
    undisturbed = start(*run, "--warehouse", str(whole), master="local[1]")
    for process in (again, undisturbed):
        said, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said

    assert statuses(broken) == statuses(whole) == {"night": "published"}
    for table in DATA_TABLES:
        assert_frame_equal(
            rows(broken, table, "night"), rows(whole, table, "night"), check_exact=True
        )
    assert set(rows(whole, "bounds", "night").kind) == {"consumers", "rscore"}
    page = (whole / "reports" / "night" / "report.html").read_text()
    assert '<section id="bounds">' in page
