"""Settings of the Spark Connect server, without starting it."""

from __future__ import annotations

import json
import signal
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.engine import connect_server
from pipeline.experiments.family_list import FAMILIES
from pipeline.warehouse.spark import remote_session, session_settings

pytestmark = pytest.mark.unit


def test_it_does_not_start_without_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(remote_session.TOKEN, raising=False)
    monkeypatch.setattr(connect_server, "keep_running", lambda *words: pytest.fail("started"))
    with pytest.raises(InputError, match=f"`{remote_session.TOKEN}` must be set"):
        connect_server.main()


def test_it_listens_on_the_loopback_address_and_has_the_kernels_of_all_families(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (connect_server.HOST, connect_server.PORT):
        monkeypatch.delenv(name, raising=False)
    settings = connect_server.settings()
    assert settings["spark.connect.grpc.binding.address"] == "127.0.0.1"
    assert settings["spark.connect.grpc.binding.port"] == "15002"
    kernels = settings[f"spark.executorEnv.{paths.KERNELS}"].split(",")
    assert kernels == [family.kernels for family in FAMILIES]


def test_settings_are_private_and_the_token_is_not_among_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path))
    monkeypatch.setenv(remote_session.TOKEN, "sesame")
    monkeypatch.delenv(connect_server.SCRATCH, raising=False)
    started: list[tuple[list[str], Path]] = []

    def keep_running(command: list[str], scratch: Path) -> int:
        started.append((command, scratch))
        return 0

    monkeypatch.setattr(connect_server, "keep_running", keep_running)
    assert connect_server.main() == 0
    ((command, scratch),) = started
    assert tmp_path in scratch.parents
    file = Path(command[-1])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "sesame" not in file.read_text() + " ".join(command)
    assert "spark.sql.extensions=io.delta" in file.read_text()


@pytest.mark.parametrize(
    ("master", "cores"), [("local[3]", "3"), ("spark://head:7077", None), ("yarn", None)]
)
def test_sessions_learn_of_local_cores_only(
    monkeypatch: pytest.MonkeyPatch, master: str, cores: str | None
) -> None:
    monkeypatch.setenv(session_settings.MASTER, master)
    assert connect_server.settings().get(remote_session.PARALLELISM) == cores


def test_it_ends_when_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"spark.driver.extraJavaOptions": "-Dmine=1"}
    monkeypatch.setenv(session_settings.CONF, json.dumps(own))
    options = connect_server.settings()["spark.driver.extraJavaOptions"].split()
    assert options == ["-Dmine=1", "-XX:+ExitOnOutOfMemoryError"]


@pytest.fixture
def own_signals() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


PROGRAM = """
import os, signal, sys, time
from pathlib import Path
scratch, starts = Path(os.environ["SPARK_LOCAL_DIRS"]), Path(sys.argv[1])
with starts.open("a") as file:
    print(len(list(scratch.iterdir())), file=file)
(scratch / "left").touch()
if len(starts.read_text().split()) == 3:
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(60)
"""


@pytest.mark.usefixtures("own_signals")
def test_it_is_started_again_until_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(connect_server, "LASTING_SECONDS", 0.0)
    starts, scratch = tmp_path / "starts", tmp_path / "scratch"
    command = [sys.executable, "-c", PROGRAM, str(starts)]
    assert connect_server.keep_running(command, scratch) == -signal.SIGTERM
    # What a killed one leaves is not there at the next start.
    assert starts.read_text().split() == ["0", "0", "0"]
    assert capfd.readouterr().err.count("Spark ended unexpectedly (status 0)") == 2


@pytest.mark.usefixtures("own_signals")
def test_one_that_ends_early_is_not_started_again(tmp_path: Path) -> None:
    program = f"open({str(tmp_path / 'starts')!r}, 'a').write('x'); raise SystemExit(7)"
    assert connect_server.keep_running([sys.executable, "-c", program], None) == 7
    assert (tmp_path / "starts").read_text() == "x"
