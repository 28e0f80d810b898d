"""A clone whose path has blanks and umlauts works from set-up to a published run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.layout import here

OURS = ("GROUPSCALE_", "AIRFLOW", "MLFLOW_", "SPARK_", "PYSPARK_", "NUMBA_", "VIRTUAL_ENV")
"""Beginnings of variables that lead back to the checkout of these tests."""


def test_a_path_with_blanks_and_umlauts_runs(tmp_path: Path) -> None:
    """Spark, Delta, MLflow and set-up all quote the path, and every file stays below it."""
    root = here().root
    if not (root / ".git").exists() or shutil.which("git") is None:
        pytest.skip("only a git checkout can be cloned")
    clone = tmp_path / "grüne Wiese" / "Gruppe ä ß"
    subprocess.run(["git", "clone", "--quiet", root, clone], check=True, timeout=60)
    env = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    done = subprocess.run(
        ["make", "smoke"], cwd=clone, env=env, capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"is published in {clone / 'warehouse'}" in done.stdout
    assert list((clone / "warehouse" / "reports").glob("*/report.html"))
    assert (clone / ".state" / "mlflow" / "mlflow.db").exists()
