"""The pipeline on a Spark Connect server ends with the tables that a JVM of its own makes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from pipeline.engine import connect_server
from pipeline.warehouse.storage import faults
from tests import spark_server
from tests.e2e.run_tables import DATA_TABLES, rows, statuses
from tests.spark_server import PATIENCE

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

FEW = ("run", "--preset", "smoke", "--set", "bound_iterations=2")
MANY = ("run", "--preset", "nightly", "--set", "partitions=100", "--set", "iterations=400")
MANY += ("--set", "deltas=0,25", "--set", "replicates=12")
"""Above the limits below which rows are checked in memory and queries interpreted."""

AUTOSCALING = ("run", "--preset", "autoscaling-smoke")
LEARNING = ("run", "--preset", "learning-smoke")


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Variables of a client of a server that runs."""
    with spark_server.serving(tmp_path_factory.mktemp("server")) as variables:
        yield variables


def run(tmp_path: Path, warehouse: str, words: tuple[str, ...], env: dict[str, str]) -> str:
    """A published run."""
    command = [sys.executable, "-m", "pipeline.cli.app", *words, "--run-id", "same"]
    done = subprocess.run(
        [*command, "--warehouse", str(tmp_path / warehouse)],
        env=os.environ | env | {"MLFLOW_TRACKING_URI": f"sqlite:///{tmp_path}/{warehouse}.db"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert statuses(tmp_path / warehouse) == {"same": "published"}
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "words",
    [FEW, MANY, AUTOSCALING, LEARNING],
    ids=["few", "many", "autoscaling", "learning"],
)
def test_tables_are_the_same(
    tmp_path: Path, remote: dict[str, str], words: tuple[str, ...]
) -> None:
    said = run(tmp_path, "remote", words, remote)
    assert "WARN" not in said
    run(tmp_path, "own", words, {})
    for table in DATA_TABLES:
        expected = rows(tmp_path / "own", table, "same")
        assert_frame_equal(rows(tmp_path / "remote", table, "same"), expected, check_exact=True)


def test_an_attempt_ends_what_the_one_before_it_left(remote: dict[str, str]) -> None:
    """A client is killed while a query of minutes runs; the next attempt does not wait for it."""
    query = (
        "from pipeline.warehouse.spark import session; import time; "
        "session.identify('task', attempt=1); "
        "spark = session.get(); print('ready', flush=True); "
        "spark.range(2).mapInArrow(lambda b: (time.sleep(300), *b)[1:], 'id long').collect()"
    )
    command = [sys.executable, "-c", query]
    with subprocess.Popen(command, env=os.environ | remote, stdout=subprocess.PIPE) as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline() == b"ready\n"
        time.sleep(3.0)
        killed.kill()
    again = (
        "from pipeline.warehouse.spark import session; session.identify('task', attempt=2); "
        "assert session.get().range(2).mapInArrow(lambda b: b, 'id long').count() == 2"
    )
    # Its tasks hold both cores until they are cancelled.
    subprocess.run([sys.executable, "-c", again], env=os.environ | remote, check=True, timeout=120)


def test_sessions_share_the_process_that_forks_workers(remote: dict[str, str]) -> None:
    """One for each session would keep its memory until the server ends."""
    query = (
        "import os, pyarrow; from pipeline.warehouse.spark import session; "
        "parent = lambda batches: (pyarrow.record_batch({'id': [os.getppid()]}) for _ in batches); "
        "print(session.get().range(1).mapInArrow(parent, 'id long').collect())"
    )
    command = [sys.executable, "-c", query]
    first, second = (
        subprocess.run(command, env=os.environ | remote, check=True, capture_output=True).stdout
        for _ in range(2)
    )
    assert first == second


def test_a_server_without_memory_starts_again(remote: dict[str, str]) -> None:
    """A query that needs more than the heap ends the JVM."""

    def ask(query: str) -> subprocess.CompletedProcess[str]:
        start = "from pipeline.warehouse.spark import session"
        code = f"{start}; print(session.get().sql({query!r}).collect())"
        return subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | remote,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    # One that ends earlier stays down.
    time.sleep(connect_server.LASTING_SECONDS)
    lost = ask("SELECT length(repeat('x', 2000000000))")
    assert lost.returncode == 1
    assert faults.is_lost(lost.stderr)
    assert ask("SELECT 1 + 1 AS two").stdout == "[Row(two=2)]\n"
