"""A strategy on one stream, live, from its start to its end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from algorithms.assignment import registry
from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.partition_integrity import integrity
from tests.live.runs import strategy_run_probe

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
    pids = []
    for process in psutil.process_iter(["cmdline", "status"]):
        words = process.info["cmdline"] or []
        if process.info["status"] != psutil.STATUS_ZOMBIE and str(folder) in " ".join(words):
            pids.append(process.pid)
    return pids


def test_every_record_is_processed_once_where_the_simulation_says(program, tmp_path):
    assert program.wait(180) == 0
    folder = run_folder.read(tmp_path / "run")
    rows = integrity(folder)
    assert sum(row.sent for row in rows) == folder.producer["sent"] > 1000
    assert all(row.read == row.sent for row in rows)
    violations = [(r.lost, r.twice, r.out_of_order, r.overlapping_epochs) for r in rows]
    assert violations == [(0, 0, 0, 0)] * len(rows)
    rates = np.array(strategy_run_probe.rates())
    simulated = registry.get("MWF").assign(rates, 200_000.0, 11)
    wanted = [entry["wanted"] for entry in folder.said("iteration") if entry["iteration"] >= 0]
    assert wanted == simulated.tolist()
    # What is acknowledged is what is wanted: the last started consumer of each partition.
    owners = {e["partition"]: e["consumer"] for e in folder.said("heard") if e["kind"] == "started"}
    assert [owners[p] for p in range(strategy_run_probe.PARTITIONS)] == simulated[-1].tolist()
    assert of_this_run(tmp_path) == []
