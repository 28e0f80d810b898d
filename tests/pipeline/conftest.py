"""A place to call the command in, and what it may leave behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.paths import Paths
from tests.pipeline.cli.command import Home
from tests.pipeline.warehouse.storage import questions


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    folders = Home(tmp_path)
    folders.written.mkdir()
    monkeypatch.setenv("GROUPSCALE_HOME", str(folders.written))
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(folders.warehouse))
    # The command fills in what is not set; set it here so that nothing stays behind in the process.
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{folders.written}/mlflow.db")
    monkeypatch.setenv("COLUMNS", "100")
    return folders


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """The warehouse that queries read; tests must not change it."""
    return questions.make(tmp_path_factory.mktemp("asked") / "warehouse")
