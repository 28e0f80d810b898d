"""Brokers' JARs and their Java are found, or the message says what to do."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from live.kafka import broker_jars, pinned_jars
from live.kafka.ivy_jars import NotDownloaded
from live.kafka.pinned_jars import Jar, WrongJar
from pipeline.base import paths
from pipeline.base.errors import InputError
from tests.fake_ivy import DELIVERS

pytestmark = [pytest.mark.unit, pytest.mark.slow]

DIGEST = hashlib.sha256(b"right").hexdigest()
PINS = f"# comment\norg.a:one_2.13:1.0 sha256:{DIGEST}\n\norg.b:two:2.0-1 sha256:{DIGEST}\n"

Script = Callable[[str], Path]


@pytest.fixture
def java(tmp_path: Path) -> Script:
    """Function that installs a shell script as the Java of JAVA_HOME."""

    def install(script: str) -> Path:
        program = tmp_path / "java home" / "bin" / "java"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return program

    return install


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Home of caches, with a lock file of two JARs and an Ivy."""
    monkeypatch.setenv("GROUPSCALE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("GROUPSCALE_STATE", raising=False)
    monkeypatch.delenv(broker_jars.VARIABLE, raising=False)
    lock = tmp_path / "broker-jars.txt"
    lock.write_text(PINS)
    monkeypatch.setattr(broker_jars, "LOCK", lock)
    monkeypatch.setattr(broker_jars, "ivy_program", lambda: tmp_path / "ivy.jar")
    return tmp_path / "home"


def test_all_jars_of_the_lock_have_names_of_their_own() -> None:
    pins = pinned_jars.pinned(Path(broker_jars.LOCK))
    assert len(pins) == len({jar.file_name for jar in pins}) == 45
    assert {len(jar.sha256) for jar in pins} == {64}
    assert Jar("org.apache.kafka:kafka_2.13:4.4.0", "").file_name == "kafka_2.13-4.4.0.jar"
    assert "kafka_2.13-4.4.0.jar" in {jar.file_name for jar in pins}


def test_they_are_fetched_once_and_appear_together(place: Path, java: Script) -> None:
    folder = broker_jars.ensure(java(DELIVERS.format(content="right")))
    assert folder == place / ".cache" / "broker-jars"
    assert {file.name for file in folder.iterdir()} == {"one_2.13-1.0.jar", "two-2.0-1.jar"}
    assert list(folder.parent.iterdir()) == [folder]
    assert broker_jars.ensure(java("exit 1")) == folder


def test_whoever_needs_them_waits_for_those_that_are_on_their_way(
    place: Path, java: Script, tmp_path: Path
) -> None:
    slow = f"echo >> '{tmp_path}/fetched'\nsleep 0.5\n{DELIVERS.format(content='right')}"
    program = java(slow)
    broker_jars.ensure_ahead(program)
    folder = broker_jars.ensure(program)
    assert len(list(folder.iterdir())) == 2
    assert (tmp_path / "fetched").read_text() == "\n"


def test_what_goes_wrong_ahead_is_reported_by_whoever_needs_them(place: Path, java: Script) -> None:
    program = java("exit 1")
    broker_jars.ensure_ahead(program)
    with pytest.raises(NotDownloaded):
        broker_jars.ensure(program)


ENDS = """\
import signal, sys
from pathlib import Path
from live.kafka import broker_jars
from pipeline.base.process import signals

java, lock, ivy, started = map(Path, sys.argv[1:])
broker_jars.LOCK, broker_jars.ivy_program = lock, lambda: ivy
with signals.taken():
    broker_jars.ensure_ahead(java)
    while not started.exists():
        pass
    signal.raise_signal(signal.SIGTERM)
"""


def test_a_process_that_is_asked_to_end_does_not_wait_for_them(
    place: Path, java: Script, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    program = java(f"echo $$ > '{started}.new'\nmv '{started}.new' '{started}'\nexec sleep 60")
    command = [sys.executable, "-c", ENDS, program, broker_jars.LOCK, tmp_path / "ivy", started]
    began = time.monotonic()
    subprocess.run(command, stderr=subprocess.DEVNULL, timeout=50)
    assert time.monotonic() - began < 30
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
    assert list((place / ".cache").iterdir()) == []


def test_ivy_fetches_nothing_but_the_jars(place: Path, java: Script, tmp_path: Path) -> None:
    """Descriptions and checksums of the packages would take most of a minute."""
    kept = tmp_path / "ivysettings.xml"
    keeps = f'for word; do case $word in */ivysettings.xml) cp "$word" {kept};; esac; done\n'
    broker_jars.ensure(java(keeps + DELIVERS.format(content="right")))
    settings = ElementTree.parse(kept).getroot()
    checksums = {each.get("name"): each.get("value") for each in settings.iter("property")}
    assert checksums == {"ivy.checksums": ""}
    assert [each.get("usepoms") for each in settings.iter("ibiblio")] == ["false"]


def test_other_jars_are_replaced(place: Path, java: Script) -> None:
    folder = place / ".cache" / "broker-jars"
    folder.mkdir(parents=True)
    (folder / "one_2.13-0.9.jar").touch()
    broker_jars.ensure(java(DELIVERS.format(content="right")))
    assert {file.name for file in folder.iterdir()} == {"one_2.13-1.0.jar", "two-2.0-1.jar"}


def test_wrong_bytes_are_refused(place: Path, java: Script) -> None:
    with pytest.raises(WrongJar, match=r"org.a:one.*sha256.*requirements/broker-jars\.txt"):
        broker_jars.ensure(java(DELIVERS.format(content="wrong")))
    assert list((place / ".cache").iterdir()) == []


def test_a_jar_that_is_not_delivered_is_named(place: Path, java: Script) -> None:
    with pytest.raises(WrongJar, match=r"did not download org\.a:one_2\.13:1\.0"):
        broker_jars.ensure(java("exit 0"))


def test_a_missing_network_is_one_line_with_its_remedy(place: Path, java: Script) -> None:
    with pytest.raises(NotDownloaded, match=r"no route to host.*JAVA_TOOL_OPTIONS") as caught:
        broker_jars.ensure(java("echo 'ERROR: no route to host'; exit 1"))
    assert "\n" not in str(caught.value)
    assert "no route to host" in (paths.logs() / "broker-jars.log").read_text()
    assert list((place / ".cache").iterdir()) == []


def test_what_another_process_has_put_in_place_stays(tmp_path: Path) -> None:
    pins = [Jar("org.a:one:1", DIGEST)]
    source, folder = tmp_path / "work" / "jars", tmp_path / "folder"
    source.mkdir(parents=True)
    (source / "org.a_one-1.jar").write_text("right")

    with pytest.MonkeyPatch.context() as patch:

        def meanwhile(place: Path, **_: object) -> None:
            place.mkdir()
            (place / "one-1.jar").write_text("right")

        patch.setattr(shutil, "rmtree", meanwhile)
        pinned_jars.put(pins, source, folder, "lock")
    assert pinned_jars.is_complete(folder, pins)


def test_a_folder_of_the_users_own_is_taken_as_it_is(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = tmp_path / "libs"
    libraries.mkdir()
    monkeypatch.setenv(broker_jars.VARIABLE, str(libraries))
    with pytest.raises(InputError, match=r"`GROUPSCALE_BROKER_JARS` must be a folder.*kafka_"):
        broker_jars.ensure(tmp_path / "java")
    (libraries / "kafka_2.13-4.1.0.jar").touch()
    assert broker_jars.ensure(tmp_path / "java") == libraries


def test_an_installed_package_has_no_lock(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker_jars, "LOCK", place / "none.txt")
    with pytest.raises(InputError, match=r"none\.txt does not exist; .*GROUPSCALE_BROKER_JARS"):
        broker_jars.ensure(place / "java")


def test_ivy_comes_with_pyspark() -> None:
    assert broker_jars.ivy_program().name.startswith("ivy-")


@pytest.mark.parametrize("version", ["17", "21"])
def test_java_of_java_home(java: Script, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = java(f"echo '    java.specification.version = {version}' >&2")
    monkeypatch.setenv("JAVA_HOME", str(program.parent.parent))
    assert broker_jars.java_program() == program


def test_java_of_set_up_comes_before_the_path(
    java: Script, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = java("echo 'java.specification.version = 17' >&2")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    assert broker_jars.java_program() == program
    (place / ".cache").mkdir(parents=True)
    (place / ".cache" / "java").symlink_to(program.parent.parent)
    assert broker_jars.java_program() == place / ".cache" / "java" / "bin" / "java"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'java.specification.version = 11' >&2", "needs Java 17 or later .got 11: .*java"),
        ("echo 'java.specification.version = 1.8' >&2", "needs Java 17 or later .got 8: "),
        ("exit 1", "java does not run; run `make setup`, or set JAVA_HOME"),
    ],
)
def test_java_that_cannot_run_brokers(
    java: Script, script: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java(script).parent.parent))
    with pytest.raises(InputError, match=message):
        broker_jars.java_program()
