"""What is refused before an application is run on Pulsar: one line, and nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from live.kafka import broker_jars, reserved_ports
from live.pulsar import pulsar_jars
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.experiments.pulsar.running import pulsar_admission
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig

pytestmark = pytest.mark.unit


class Usage(NamedTuple):
    """As `shutil.disk_usage` has it."""

    total: int
    used: int
    free: int


def smoke(*settings: str) -> RunConfig:
    """The small preset with some settings."""
    return resolve("pulsar-smoke", None, list(settings), [])


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has all: a Java with a compiler, memory, and no other run."""
    monkeypatch.setattr(pulsar_jars, "check", lambda: None)
    monkeypatch.setattr(pulsar_admission.one_live_run_lock, "check", lambda: None)
    monkeypatch.setattr(pulsar_admission.machine, "available_gib", lambda: 8.0)


def refusal(folder: Path) -> str:
    """The line with which the smoke test is refused."""
    with pytest.raises(InputError) as error:
        pulsar_admission.check(smoke(), Paths(folder / "warehouse"), "r")
    assert list(folder.iterdir()) == []
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.usefixtures("ready")
def test_a_machine_that_has_all_is_admitted(tmp_path: Path) -> None:
    pulsar_admission.check(smoke(), Paths(tmp_path), "r")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("ready")
def test_too_little_memory_or_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = Usage(2**40, 0, 2**29)
    monkeypatch.setattr(pulsar_admission.shutil, "disk_usage", lambda place: usage)
    said = refusal(tmp_path)
    assert said.startswith("Pulsar needs about 1.0 GiB of disk space in ")
    assert said.endswith("has 0.5 GiB; choose another folder with --warehouse")
    monkeypatch.setattr(pulsar_admission.machine, "available_gib", lambda: 2.0)
    assert refusal(tmp_path) == (
        "Pulsar needs about 3.0 GiB of memory, but 2.0 GiB are available on this machine; end "
        "other programs"
    )


@pytest.mark.usefixtures("ready")
def test_without_free_ports_nothing_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object) -> None:
        raise OSError(98, "Address already in use")

    monkeypatch.setattr(reserved_ports, "_bound", none_left)
    assert refusal(tmp_path).startswith("Pulsar needs 3 free ports of 127.0.0.1")


@pytest.mark.parametrize(
    ("version", "said"),
    [(None, "Pulsar needs Java, and "), (11, r"Pulsar needs Java 17 or later \(got 11: ")],
)
def test_without_java_17_nothing_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int | None, said: str
) -> None:
    monkeypatch.setattr(broker_jars, "_java_version", lambda program: version)
    with pytest.raises(InputError, match=said):
        pulsar_admission.check(smoke(), Paths(tmp_path / "warehouse"), "r")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("guarantee", ["effectively_once", "manual", "ATLEAST_ONCE"])
def test_other_guarantees_are_refused(guarantee: str) -> None:
    with pytest.raises(InputError, match=r"`guarantee` must be one of atleast_once, atmost_once"):
        smoke(f"guarantee={guarantee}")
