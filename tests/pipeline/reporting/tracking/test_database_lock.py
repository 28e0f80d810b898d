"""Processes make a tracking database one after the other."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path

import pytest

from pipeline.reporting.tracking import client as tracking

pytestmark = pytest.mark.unit


def test_two_processes_do_not_make_one_database_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = threading.Event()
    monkeypatch.setattr("mlflow.MlflowClient", lambda uri: made.set())
    connect = threading.Thread(target=tracking.connect, args=(f"sqlite:///{tmp_path}/runs.db",))
    with (tmp_path / "runs.db.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        connect.start()
        assert not made.wait(0.3)
    assert made.wait(10)
    connect.join()
