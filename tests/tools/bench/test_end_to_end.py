"""Whole runs are watched with all their processes, and one that fails is no measurement."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from pipeline.inputs import traces
from tools.bench import __main__, end_to_end, resource_use, wide_trace
from tools.console import CommandFailed
from tools.layout import Layout

pytestmark = pytest.mark.unit

HOLD = """
import subprocess, sys, time
held = bytearray(b"x") * 2**26
if sys.argv[1] == "parent":
    subprocess.run([sys.executable, "-c", sys.argv[2], "child", ""])
else:
    time.sleep(1.5)
"""


@pytest.mark.slow
def test_memory_of_children_counts(tmp_path: Path) -> None:
    """Two processes of 64 MiB each, one the child of the other."""
    command = [sys.executable, "-c", HOLD, "parent", HOLD]
    seen = resource_use.run(command, os.environ, tmp_path, tmp_path / "log")
    assert seen.status == 0
    assert 128 < seen.peak_mib < 256
    assert seen.seconds > 1.5


def test_a_failed_run_is_no_measurement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    say = "import sys; sys.exit('Error: no such thing')"
    monkeypatch.setitem(end_to_end.CASES, "bad", lambda *_: [sys.executable, "-c", say])
    with pytest.raises(CommandFailed, match="bad: Error: no such thing"):
        list(end_to_end.measure(Layout(tmp_path), ["bad"]))


def test_an_unknown_case_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        __main__.main(["end-to-end", "--case", "weekly"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "weekly" in said
    assert all(name in said for name in end_to_end.CASES)


def test_rows_go_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(end_to_end.CASES, "good", lambda *_: [sys.executable, "-c", "pass"])
    out = tmp_path / "bench.json"
    end_to_end.main(Layout(tmp_path), out, ["good"])
    (row,) = json.loads(out.read_text())["end_to_end"]
    assert row["case"] == "good"
    assert set(row) == {"case", "seconds", "peak_mib"}


def test_the_trace_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "wide.parquet"
    wide_trace.write(file, partitions=12, iterations=3)
    trace = traces.load(file)
    assert trace.rates.shape == (3, 12)
    assert np.isfinite(trace.rates).all()
