"""Tests end with pytest's summary: no library reports leaked objects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.layout import here

USES_DUCKDB = """
def test_a_query():
    import duckdb

    assert duckdb.sql("SELECT 1").fetchall() == [(1,)]
"""


@pytest.mark.slow
def test_nothing_is_printed_after_the_summary(tmp_path: Path) -> None:
    file = tmp_path / "test_alone.py"
    file.write_text(USES_DUCKDB)
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "tests.conftest", str(file)]
    options = ["-p", "no:cacheprovider", "-c", str(here().root / "pyproject.toml")]
    # Where it may not tidy up what earlier tests have left.
    options.append(f"--basetemp={tmp_path / 'own'}")
    ended = subprocess.run(
        [*command, *options], cwd=here().root, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1].startswith("1 passed")
    assert ended.stderr == ""
