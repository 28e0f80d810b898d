"""Queries that would take all memory end with a message and do not crash the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from pipeline.base.paths import Paths
from pipeline.warehouse.storage import sql
from tests.pipeline.warehouse.storage import questions

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep to the limit"),
]

LIBRARIES_GIB = 0.2
PROGRAM = """
import atexit, re, sys
from pipeline.base.process import machine
from pipeline.cli.app import main
memory = float(sys.argv.pop(1))
machine.memory_gib = lambda: memory
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


def ask(
    places: Paths, folder: Path, query: str, style: str, memory_gib: float
) -> tuple[int, str, float]:
    """Exit status, output, and peak memory, GiB."""
    asked = ["sql", query, "--format", style, "--warehouse", str(places.warehouse)]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(memory_gib), *asked],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"GROUPSCALE_HOME": str(folder)},
        timeout=240,
        check=False,
    )
    said, _, peak = done.stderr.rpartition("peak ")
    return done.returncode, said, int(peak) / 2**20


@pytest.mark.parametrize(
    ("query", "style"),
    [
        ("SELECT range(1_000_000_000)", "csv"),
        ("SELECT repeat('x', 1_000_000_000)", "json"),
        ("SELECT list(range) FROM range(1_000_000_000)", "csv"),
        ("SELECT range FROM range(1_000_000_000) ORDER BY hash(range)", "json"),
        ("SELECT string_agg(range::VARCHAR, ',') FROM range(1_000_000_000)", "table"),
        (f"{LARGE} SELECT len(l) FROM a", "table"),
        ("SELECT list(consumers) FROM assignments, range(100)", "table"),
    ],
)
def test_too_much_is_refused_in_a_line(
    warehouse: Paths, tmp_path: Path, query: str, style: str
) -> None:
    status, said, peak = ask(warehouse, tmp_path, query, style, memory_gib=4.0)
    assert status == 1
    assert said.startswith("Error: sql: ")
    assert " 2.0 GiB" in said
    assert len(said.splitlines()) == 1
    assert peak < 4.0 * sql.SHARE + LIBRARIES_GIB


@pytest.mark.parametrize("style", ["csv", "json"])
def test_wide_rows_are_streamed(warehouse: Paths, tmp_path: Path, style: str) -> None:
    query = "SELECT consumers FROM assignments"
    status, said, peak = ask(warehouse, tmp_path, query, style, memory_gib=8.0)
    assert (status, said) == (0, "")
    assert peak < 8.0 * sql.SHARE + LIBRARIES_GIB
