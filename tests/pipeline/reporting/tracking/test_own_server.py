"""Runs of the command line go to the server of `make up` while it runs."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.base import paths
from pipeline.reporting.tracking import own_server

pytestmark = pytest.mark.unit

SERVER, USER, PASSWORD = "http://127.0.0.1:5998", own_server.USER, own_server.PASSWORD


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is recorded as the server."""
    process = subprocess.Popen(["sleep", "60"])
    services = tmp_path / "services"
    (services / "running").mkdir(parents=True)
    stat = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    leader = {"pid": process.pid, "started": int(stat[19]), "boot": boot, "folder": "/"}
    record = {"service": "mlflow", "leader": leader, "ports": {"MLFLOW_PORT": 5998}}
    (services / "running" / "mlflow.json").write_text(json.dumps(record))
    (services / "mlflow-password").write_text("sesame\n")
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path))
    for name in ("MLFLOW_TRACKING_URI", USER, PASSWORD):
        monkeypatch.delenv(name, raising=False)
    yield process
    process.kill()
    process.wait()


def test_a_run_goes_to_the_server_that_runs(server: object) -> None:
    assert own_server.use()
    assert paths.tracking_uri() == SERVER
    assert (os.environ[USER], os.environ[PASSWORD]) == ("admin", "sesame")


def test_its_address_needs_no_password(server: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"{SERVER}/")
    assert own_server.use()
    assert os.environ[PASSWORD] == "sesame"


def test_the_users_own_password_stays(server: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(USER, "reader")
    monkeypatch.setenv(PASSWORD, "mine")
    assert own_server.use()
    assert (os.environ[USER], os.environ[PASSWORD]) == ("reader", "mine")


@pytest.mark.parametrize("place", ["https://mlflow.example", "sqlite:////elsewhere/mlflow.db"])
def test_another_place_is_kept(server: object, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", place)
    assert not own_server.use()
    assert os.environ["MLFLOW_TRACKING_URI"] == place
    assert PASSWORD not in os.environ


def test_a_server_that_has_ended_gets_no_password(server: subprocess.Popen[bytes]) -> None:
    server.kill()
    os.waitid(os.P_PID, server.pid, os.WEXITED | os.WNOWAIT)
    assert not own_server.use()  # not even while it is a zombie
    server.wait()
    assert not own_server.use()
    assert PASSWORD not in os.environ


def test_another_process_with_its_id_gets_none(server: object, tmp_path: Path) -> None:
    file = tmp_path / "services" / "running" / "mlflow.json"
    record = json.loads(file.read_text())
    record["leader"]["started"] += 1
    file.write_text(json.dumps(record))
    assert not own_server.use()


def test_without_services_nothing_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path))
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    assert not own_server.use()
    assert "MLFLOW_TRACKING_URI" not in os.environ


@pytest.mark.parametrize("content", ["", "[]", "null", "{"])
def test_a_broken_record_is_no_server(server: object, tmp_path: Path, content: str) -> None:
    (tmp_path / "services" / "running" / "mlflow.json").write_text(content)
    assert not own_server.use()
