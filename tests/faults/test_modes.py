"""Permissions of a run's files: tables follow the umask, the rest is for the owner only."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.faults.breaking import RUN, Process

pytestmark = pytest.mark.faults


MASK = 0o027


def test_files_honour_the_umask(tmp_path: Path) -> None:
    state, warehouse = tmp_path / "state", tmp_path / "warehouse"
    places = {"GROUPSCALE_STATE": state, "GROUPSCALE_WAREHOUSE": warehouse}
    env = {name: str(place) for name, place in places.items()}
    env["MLFLOW_TRACKING_URI"] = f"sqlite:///{state}/mlflow/mlflow.db"
    before = os.umask(MASK)
    try:
        process = Process((*RUN, "--run-id", "mine"), tmp_path / "said", env)
    finally:
        os.umask(before)
    assert process.end() == 0, process.said
    paths = [warehouse, *warehouse.rglob("*")]
    kinds = {file.name.rpartition(".")[2] for file in paths if file.is_file()}
    assert kinds >= {"parquet", "json", "crc", "html"}
    for file in paths:
        whole = 0o777 if file.is_dir() else 0o666
        assert stat.S_IMODE(file.stat().st_mode) == whole & ~MASK, file
    for folder in (state / "logs", state / "mlflow"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
