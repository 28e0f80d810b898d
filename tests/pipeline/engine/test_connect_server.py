"""Settings of the Spark Connect server, without starting it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pipeline import paths
from pipeline.engine import connect_server
from pipeline.errors import InputError
from pipeline.spark import remote_session
from pipeline.stages import FAMILIES

pytestmark = pytest.mark.unit


def test_it_does_not_start_without_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(remote_session.TOKEN, raising=False)
    monkeypatch.setattr(connect_server.os, "execv", lambda *words: pytest.fail("started"))
    with pytest.raises(InputError, match=f"`{remote_session.TOKEN}` must be set"):
        connect_server.main()


def test_it_listens_on_the_loopback_address_and_has_the_kernels_of_all_families(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (connect_server.HOST, connect_server.PORT):
        monkeypatch.delenv(name, raising=False)
    found = connect_server.settings()
    assert found["spark.connect.grpc.binding.address"] == "127.0.0.1"
    assert found["spark.connect.grpc.binding.port"] == "15002"
    kernels = found[f"spark.executorEnv.{paths.KERNELS}"].split(",")
    assert kernels == [family.kernels for family in FAMILIES]


def test_settings_are_private_and_the_token_is_not_among_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path))
    monkeypatch.setenv(remote_session.TOKEN, "sesame")
    started: list[list[str]] = []
    monkeypatch.setattr(connect_server.os, "execv", lambda program, words: started.append(words))
    connect_server.main()
    (command,) = started
    file = Path(command[command.index("--properties-file") + 1])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "sesame" not in file.read_text() + " ".join(command)
    assert "spark.sql.extensions=io.delta" in file.read_text()
