"""Pulsar's JARs and settings: what is pinned, refused, and written."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
import yaml

from live.kafka import pinned_jars
from live.pulsar import pulsar_jars, standalone, standalone_settings
from live.pulsar.standalone_settings import PulsarPorts
from pipeline.base.errors import InputError

pytestmark = pytest.mark.unit

PORTS = PulsarPorts(1001, 1002, 1003)


def test_every_jar_is_pinned_under_a_name_of_its_own() -> None:
    pins = pinned_jars.pinned(pulsar_jars.LOCK)
    assert len({pin.file_name for pin in pins}) == len(pins)
    assert all(len(pin.sha256) == 64 for pin in pins)
    assert "org.apache.pulsar:pulsar-broker:4.0.7" in {pin.coordinates for pin in pins}


def test_a_jar_that_has_changed_is_named_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "pulsar-jars.txt"
    good, bad = (hashlib.sha256(text).hexdigest() for text in (b"good", b"bad"))
    lock.write_text(f"g:a:1 sha256:{good}\ng:b:2 sha256:{good}\n")
    monkeypatch.setattr(pulsar_jars, "LOCK", lock)
    monkeypatch.setattr(pulsar_jars.paths, "home", lambda: tmp_path)
    monkeypatch.setattr(pulsar_jars.broker_jars, "java_program", lambda _: tmp_path / "java")
    (tmp_path / "javac").touch()
    pulsar_jars.check()  # Nothing is there yet: it will be fetched.
    folder = tmp_path / ".cache" / "pulsar-jars"
    folder.mkdir(parents=True)
    (folder / "a-1.jar").write_bytes(b"good")
    (folder / "b-2.jar").write_bytes(b"good")
    pulsar_jars.check()
    (folder / "b-2.jar").write_bytes(b"bad")
    with pytest.raises(InputError) as error:
        pulsar_jars.check()
    assert str(error.value) == (
        f"{folder}/b-2.jar must have the sha256 {good} of requirements/pulsar-jars.txt (got {bad});"
        " delete this file, and the next run fetches Pulsar's JARs again"
    )


def test_without_a_list_of_jars_the_check_says_where_it_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulsar_jars, "LOCK", tmp_path / "pulsar-jars.txt")
    monkeypatch.setattr(pulsar_jars.broker_jars, "java_program", lambda _: tmp_path / "java")
    (tmp_path / "javac").touch()
    with pytest.raises(InputError, match="work in a checkout"):
        pulsar_jars.check()


def test_the_folder_of_another_pulsar_is_refused_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standalone.pulsar_jars, "ensure", lambda: None)
    data = tmp_path / "pulsar" / "bookie"
    data.mkdir(parents=True)
    with (
        pytest.raises(InputError, match="pulsar exists already; Pulsar needs a new folder"),
        standalone.Standalone(tmp_path),
    ):
        pytest.fail("it has started")
    assert data.is_dir()


def test_all_listens_on_the_loopback_address(tmp_path: Path) -> None:
    conf = dict(
        line.split("=", 1)
        for line in standalone_settings.standalone_conf(tmp_path, PORTS).splitlines()
    )
    assert conf["bindAddress"] == conf["advertisedAddress"] == "127.0.0.1"
    assert (conf["webServicePort"], conf["brokerServicePort"]) == ("1001", "1002")
    assert Path(conf["STORAGE_PATH"]).parent == tmp_path
    words = standalone_settings.arguments(tmp_path, PORTS)
    assert words[words.index("--bookkeeper-port") + 1] == "1003"


def test_the_worker_has_every_period_and_a_folder_for_copies(tmp_path: Path) -> None:
    jar = Path("/cache/a b/function-1.jar")
    text = standalone_settings.worker_yaml(tmp_path, PORTS, jar)
    (pattern,) = yaml.safe_load(text)["additionalEnabledFunctionsUrlPatterns"]
    assert re.fullmatch(pattern, "file:///cache/a%20b/function-1.jar")
    assert not re.fullmatch(pattern, "file:///cache/a%20b/function-1xjar")
    assert f"downloadDirectory: {tmp_path}/functions\n" in text
    for period in (
        *("failureCheckFreqMs", "rescheduleTimeoutMs", "instanceLivenessCheckFreqMs"),
        *("workerListProbeIntervalSec", "assignmentWriteMaxRetries"),
    ):
        assert f"{period}: " in text
