"""Measures the time of a query for one run's scores among many runs, without Spark.

A table with the columns of `scores` gets one commit per run, as the pipeline makes them, with
random numbers; then a new process queries the means of one run by δ and algorithm.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import deltalake
import numpy as np
import pyarrow as pa

import schemas
from algorithms.assignment import registry
from tools.bench import results_file
from tools.console import say

RUNS, STREAMS, DELTAS = 200, 6_000, 6

ASK = """
import sys, time
import duckdb, deltalake, pyarrow.dataset
started = time.perf_counter()
scores = deltalake.DeltaTable(sys.argv[1]).to_pyarrow_dataset()
found = duckdb.sql(
    "SELECT delta, algorithm, avg(cbs), avg(mean_rscore) FROM scores"
    " WHERE run_id = 'run-0100' GROUP BY ALL ORDER BY ALL"
).fetchall()
print(len(found), time.perf_counter() - started)
"""


def main(file: Path) -> None:
    """Measure, print and write `query` to a file."""
    with tempfile.TemporaryDirectory(prefix="groupscale-bench-") as folder:
        say(f"bench: {RUNS} runs of {STREAMS:,} streams")
        make(folder)
        seconds = ask(folder)
    print(f"scores of one run among {RUNS}, by δ and algorithm: {seconds:.2f} s\n\n{file}")
    results_file.update(file, {"query": {"runs": RUNS, "streams": STREAMS, "seconds": seconds}})


def make(folder: str) -> None:
    """Write the runs, one commit each."""
    columns = len(registry.reference_set()) * STREAMS
    for number in range(RUNS):
        rows = _rows(f"run-{number:04d}", columns)
        deltalake.write_deltalake(folder, rows, mode="append", partition_by=["run_id"])
        if number % 10 == 9:
            deltalake.DeltaTable(folder).create_checkpoint()


def _rows(run_id: str, n: int) -> pa.Table:
    values = np.random.default_rng(n)
    names = np.tile(np.array(registry.reference_set()), STREAMS)
    stream = np.repeat(np.arange(STREAMS), len(registry.reference_set()))
    made = {
        "run_id": pa.array(np.full(n, run_id)),
        "stream_id": pa.array([f"tradeoff-r{i:04d}" for i in stream]),
        "algorithm": pa.array(names),
        "delta": pa.array((stream % DELTAS) * 5.0),
    }
    numbers = [c.name for c in schemas.TABLES["scores"].columns if c.type == "double"]
    rest = {name: pa.array(values.random(n)) for name in numbers if name not in made}
    return pa.table(made | rest)


def ask(folder: str) -> float:
    """Seconds from opening the table to the answer, in a new process with its imports done."""
    command = [sys.executable, "-c", ASK, folder]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    groups, seconds = said.split()
    if int(groups) != DELTAS * len(registry.reference_set()):
        raise RuntimeError(f"the query returned {groups} groups")
    return float(seconds)
