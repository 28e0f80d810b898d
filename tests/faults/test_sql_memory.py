"""Questions that would take all of the memory: they end with a message, not with the machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from pipeline import sql
from pipeline.paths import Paths
from tests.pipeline import questions

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep to the limit"),
]

MACHINE_GIB, LIBRARIES_GIB = 4.0, 0.2
PROGRAM = f"""
import atexit, re, sys
from pipeline import machine
from pipeline.cli import main
machine.memory_gib = lambda: {MACHINE_GIB}
def tell():
    status = open("/proc/self/status").read()
    print("peak", re.findall("VmHWM:(.*) kB", status)[0], file=sys.stderr)
atexit.register(tell)
main()
"""
LARGE = "WITH RECURSIVE a AS (SELECT [1] AS l UNION ALL SELECT list_concat(l, l) FROM a)"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """Its streams have 10,000 partitions each."""
    places = questions.make(tmp_path_factory.mktemp("large") / "warehouse")
    ids = pa.array([list(range(10_000))] * 5_000, pa.list_(pa.int32()))
    rows = pa.table({"run_id": ["a"] * len(ids), "consumers": ids})
    write_deltalake(places.table("assignments"), rows, partition_by=["run_id"])
    return places


def ask(places: Paths, folder: Path, query: str, *options: str) -> tuple[int, str, float]:
    """Exit status, what was said, and the most memory that was taken, GiB."""
    command = [sys.executable, "-c", PROGRAM, "sql", query, "--warehouse", places.warehouse]
    done = subprocess.run(
        [*command, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"GROUPSCALE_HOME": str(folder)},
        timeout=240,
        check=False,
    )
    said, _, peak = done.stderr.rpartition("peak ")
    return done.returncode, said, int(peak) / 2**20


@pytest.mark.parametrize("style", ["table", "csv", "json"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT range(1_000_000_000)",
        "SELECT repeat('x', 1_000_000_000)",
        "SELECT list(range) FROM range(1_000_000_000)",
        "SELECT range FROM range(1_000_000_000) ORDER BY hash(range) OFFSET 1_000_000",
        "SELECT string_agg(range::VARCHAR, ',') FROM range(1_000_000_000)",
        f"{LARGE} SELECT len(l) FROM a",
        "SELECT list(consumers) FROM assignments a, range(100)",
        "SELECT DISTINCT consumers, range FROM assignments, range(100)",
    ],
)
def test_too_much_is_refused_in_a_line(
    warehouse: Paths, tmp_path: Path, query: str, style: str
) -> None:
    status, said, peak = ask(warehouse, tmp_path, query, "--format", style)
    assert (status, re.sub(r"than [\d.]+", "than N", said)) == (
        1,
        "Error: sql: this takes more than N GiB, half of this machine's memory; "
        "ask for fewer rows (WHERE, LIMIT) or columns, or for their sums\n",
    )
    assert peak < MACHINE_GIB * sql.SHARE + LIBRARIES_GIB


@pytest.mark.parametrize("style", ["csv", "json"])
def test_wide_rows_are_streamed(warehouse: Paths, tmp_path: Path, style: str) -> None:
    status, said, peak = ask(
        warehouse, tmp_path, "SELECT consumers FROM assignments", "--format", style
    )
    assert (status, said) == (0, "")
    assert peak < MACHINE_GIB * sql.SHARE + LIBRARIES_GIB
