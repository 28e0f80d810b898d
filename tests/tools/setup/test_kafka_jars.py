"""Kafka's JARs appear when they are the right ones; a missing network is an error of its own."""

import hashlib
import re

import pytest

from tests.fake_ivy import DELIVERS
from tests.kafka import kafka_driver
from tools.console import SetupError
from tools.setup import jars, kafka_jars

pytestmark = pytest.mark.unit

ENV = {"PATH": "/usr/bin:/bin"}


@pytest.fixture
def java(layout, program):
    """Function that installs a Java which delivers ``content``; hashes match "right"."""
    digest = hashlib.sha256(b"right").hexdigest()
    lock = layout.requirements / kafka_jars.ASSIGNORS.lock
    lock.write_text(re.sub(r"sha256:\w+", f"sha256:{digest}", lock.read_text()))
    (layout.spark / "jars").mkdir(parents=True)
    (layout.spark / "jars" / "ivy-2.5.3.jar").touch()
    home = layout.root / "java home"

    def install(script):
        program(home / "bin" / "java", script)
        return home

    return install


def test_they_are_fetched_once(layout, java):
    folder = kafka_jars.ensure(layout, java(DELIVERS.format(content="right")), ENV)
    names = {jar.file_name for jar in jars.pinned(layout, kafka_jars.ASSIGNORS.lock)}
    assert {file.name for file in folder.iterdir()} == names
    assert {file.read_text() for file in folder.iterdir()} == {"right"}
    assert list(layout.cache.iterdir()) == [folder]
    assert kafka_jars.ensure(layout, java("exit 1"), ENV) == folder


def test_jars_of_another_version_are_replaced(layout, java):
    folder = layout.cache / "kafka-jars"
    folder.mkdir()
    (folder / "kafka-clients-1.0.0.jar").touch()
    kafka_jars.ensure(layout, java(DELIVERS.format(content="right")), ENV)
    assert not (folder / "kafka-clients-1.0.0.jar").exists()


def test_wrong_bytes_are_refused_and_nothing_is_kept(layout, java):
    """That is no network failure: the tests must not be skipped."""
    with pytest.raises(SetupError, match=r"kafka-.* sha256 .*kafka-jars\.txt") as caught:
        kafka_jars.ensure(layout, java(DELIVERS.format(content="wrong")), ENV)
    assert not isinstance(caught.value, kafka_jars.NotDownloaded)
    assert list(layout.cache.iterdir()) == []


def test_a_missing_network_is_one_line(layout, java):
    with pytest.raises(kafka_jars.NotDownloaded, match="no route to host") as caught:
        kafka_jars.ensure(layout, java("echo 'ERROR: no route to host'; exit 1"), ENV)
    assert "\n" not in str(caught.value)
    assert list(layout.cache.iterdir()) == []


def test_ivy_comes_with_pyspark(layout, java):
    home = java("exit 1")
    (layout.spark / "jars" / "ivy-2.5.3.jar").unlink()
    with pytest.raises(SetupError, match="Ivy is not installed"):
        kafka_jars.ensure(layout, home, ENV)


def test_one_version_of_each_artifact_is_on_the_class_path(tmp_path, layout):
    for jar in jars.pinned(layout, kafka_jars.ASSIGNORS.lock):
        (tmp_path / jar.file_name).touch()
    for version, other in (("4.1.2", "4.0.0"), ("4.0.0", "4.1.2")):
        names = [file.name for file in kafka_driver.class_path(tmp_path, version)]
        assert f"kafka-group-coordinator-{version}.jar" in names
        assert f"kafka-group-coordinator-{other}.jar" not in names
        assert "kafka-clients-4.1.2.jar" in names
        assert len(names) == 5
