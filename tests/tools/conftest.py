"""A small repository in a temporary folder, and programs that stand in for real ones."""

import os
import shutil
from pathlib import Path

import pytest

from tools.layout import Layout, here


@pytest.fixture
def layout(tmp_path):
    """Layout of an empty repository that requires the same packages as this one."""
    root = tmp_path / "a repository"
    shutil.copytree(here().requirements, root / "requirements")
    shutil.copy(here().root / "pyproject.toml", root)
    made = Layout(root)
    made.logs.mkdir(parents=True)
    made.cache.mkdir()
    return made


@pytest.fixture(autouse=True)
def unset(monkeypatch):
    """Unset the variables that `make` has set for this test run."""
    for name in [
        name for name in os.environ if name.startswith(("AIRFLOW", "GROUPSCALE", "MLFLOW"))
    ]:
        monkeypatch.delenv(name)


@pytest.fixture
def program():
    """Function that writes an executable shell script."""

    def write(path: Path, script: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return write
