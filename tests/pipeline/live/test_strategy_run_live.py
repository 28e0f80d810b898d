"""A strategy on one stream, live, from its start to every kind of end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from algorithms.assignment import registry
from pipeline.measured.evidence import run_folder
from pipeline.measured.evidence.partition_integrity import integrity
from tests.pipeline.live import strategy_run_probe

pytestmark = pytest.mark.live

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def program(tmp_path):
    """The program, started; ended with the test."""
    words = [sys.executable, "-m", strategy_run_probe.__name__, str(tmp_path)]
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, cwd=ROOT, env=path, start_new_session=True) as process:
        yield process
        process.kill()


def of_this_run(folder: Path) -> list[int]:
    """Processes with the folder on their command line."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        words = process.info["cmdline"] or []
        if process.info["status"] != psutil.STATUS_ZOMBIE and str(folder) in " ".join(words):
            found.append(process.pid)
    return found


def wait_for(condition, seconds=90.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.2)


def test_every_record_is_processed_once_where_the_simulation_says(program, tmp_path):
    assert program.wait(180) == 0
    folder = run_folder.read(tmp_path / "run")
    rows = integrity(folder)
    assert sum(row.sent for row in rows) == folder.producer["sent"] > 1000
    assert all(row.read == row.sent for row in rows)
    found = [(r.lost, r.twice, r.out_of_order, r.overlaps) for r in rows]
    assert found == [(0, 0, 0, 0)] * len(rows)
    rates = np.array(strategy_run_probe.rates())
    simulated = registry.get("MWF").assign(rates, 200_000.0, 11)
    wanted = [entry["wanted"] for entry in folder.said("iteration") if entry["iteration"] >= 0]
    assert wanted == simulated.tolist()
    # What is acknowledged is what is wanted: the last started consumer of each partition.
    owners = {e["partition"]: e["consumer"] for e in folder.said("heard") if e["kind"] == "started"}
    assert [owners[p] for p in range(strategy_run_probe.PARTITIONS)] == simulated[-1].tolist()
    assert of_this_run(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_is_left_when_the_run_is_ended(program, tmp_path, number):
    journal = tmp_path / "run" / "controller.jsonl"
    wait_for(lambda: journal.exists() and '"started"' in journal.read_text())
    assert len(of_this_run(tmp_path)) > 3
    program.send_signal(number)
    program.wait(30)
    wait_for(lambda: of_this_run(tmp_path) == [], 20.0)
