"""The pipeline on a cluster that loses a worker ends with the tables that one core makes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from tests.cluster.standalone import Cluster, cluster
from tests.e2e.run_tables import DATA_TABLES, rows, statuses
from tools.bench.cases import THOUSAND_WORKLOADS
from tools.layout import here

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

PATIENCE = 600
RUN = "spread"
STREAMS = ("--preset", "nightly")
SETTINGS = ("partitions=40", "iterations=400", "deltas=0,10,25", "replicates=6")
WORKLOADS = ("--config", str(here().root / THOUSAND_WORKLOADS))
FEW = ("iterations=600", "replicates=4")


def start(
    tmp_path: Path,
    warehouse: str,
    master: str,
    run: Sequence[str] = STREAMS,
    settings: Sequence[str] = SETTINGS,
) -> subprocess.Popen[str]:
    """Start a run on a master, by default of some streams, enough for several tasks."""
    options = [word for pair in settings for word in ("--set", pair)]
    command = [sys.executable, "-m", "pipeline.cli.app", "run", *run, *options]
    return subprocess.Popen(
        [*command, "--run-id", RUN, "--warehouse", str(tmp_path / warehouse)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ
        | {
            "MLFLOW_TRACKING_URI": f"sqlite:///{tmp_path}/{warehouse}.db",
            "GROUPSCALE_SPARK_MASTER": master,
            "GROUPSCALE_SPARK_CONF": json.dumps(
                {
                    "spark.driver.host": "127.0.0.1",
                    "spark.driver.bindAddress": "127.0.0.1",
                    "spark.executor.memory": "1g",
                }
            ),
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
    )


def ended(process: subprocess.Popen[str]) -> None:
    """Wait for a run, which must be published."""
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said


def wait_for_first_file(warehouse: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a task of `run_algorithms` has begun to write, while others have not."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None, process.stdout.read() if process.stdout else ""
        if any((warehouse / "assignments").glob("run_id=*/*/*/*.parquet")):
            return
        time.sleep(0.02)
    raise AssertionError("no assignments were written")


def lose_a_worker(
    tmp_path: Path, machines: Cluster, warehouse: str, process: subprocess.Popen[str]
) -> None:
    """Kill a worker while assignments are being made."""
    wait_for_first_file(tmp_path / warehouse, process)
    timings = (tmp_path / warehouse / ".state" / RUN / "timings.jsonl").read_text()
    assert "write_streams" in timings
    assert "run_algorithms" not in timings
    machines.kill_worker()


def test_a_lost_worker_changes_nothing(tmp_path: Path) -> None:
    with cluster(tmp_path, workers=2) as machines:
        process = start(tmp_path, "cluster", machines.url)
        try:
            lose_a_worker(tmp_path, machines, "cluster", process)
            ended(process)
        finally:
            process.kill()
        assert "Removing worker" in machines.log("master")
    for cores in (1, 2):
        ended(start(tmp_path, f"local{cores}", f"local[{cores}]"))
    have_equal_rows(tmp_path, "local1", "local2", "cluster")


def test_workloads_are_simulated_alike(tmp_path: Path) -> None:
    with cluster(tmp_path, workers=2) as machines:
        ended(start(tmp_path, "cluster", machines.url, WORKLOADS, FEW))
    ended(start(tmp_path, "local", "local[1]", WORKLOADS, FEW))
    have_equal_rows(tmp_path, "local", "cluster")


def have_equal_rows(tmp_path: Path, first: str, *others: str) -> None:
    """All runs are published, and no bit of their tables differs."""
    for warehouse in (first, *others):
        assert statuses(tmp_path / warehouse) == {RUN: "published"}
    for table in DATA_TABLES:
        expected = rows(tmp_path / first, table, RUN)
        for warehouse in others:
            actual = rows(tmp_path / warehouse, table, RUN)
            assert_frame_equal(actual, expected, check_exact=True, obj=f"{table} of {warehouse}")
