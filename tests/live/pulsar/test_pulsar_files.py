"""Pulsar's JARs and settings: what is pinned, refused, and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from live.kafka import pinned_jars
from live.pulsar import pulsar_jars, standalone_settings
from live.pulsar.standalone_settings import PulsarPorts

pytestmark = pytest.mark.unit

PORTS = PulsarPorts(1001, 1002, 1003)


def test_every_jar_is_pinned_under_a_name_of_its_own() -> None:
    pins = pinned_jars.pinned(pulsar_jars.LOCK)
    assert len({pin.file_name for pin in pins}) == len(pins)
    assert all(len(pin.sha256) == 64 for pin in pins)
    assert "org.apache.pulsar:pulsar-broker:4.0.7" in {pin.coordinates for pin in pins}


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
    text = standalone_settings.worker_yaml(tmp_path, PORTS)
    assert f"downloadDirectory: {tmp_path}/functions\n" in text
    for period in (
        *("failureCheckFreqMs", "rescheduleTimeoutMs", "instanceLivenessCheckFreqMs"),
        *("workerListProbeIntervalSec", "assignmentWriteMaxRetries"),
    ):
        assert f"{period}: " in text
