"""Settings of Spark and its JVM, on one machine and on a cluster."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import pytest

from pipeline.base.errors import InputError
from pipeline.warehouse.spark import jvm, session, session_settings

pytestmark = pytest.mark.unit


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home with two JARs and nothing said in the environment."""
    for name in ("GROUPSCALE_SPARK_MASTER", "GROUPSCALE_SPARK_CONF", jvm.RECORD):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GROUPSCALE_HOME", str(tmp_path))
    monkeypatch.setenv("GROUPSCALE_JARS", str(tmp_path))
    for name in ("a.jar", "b.jar"):
        (tmp_path / name).touch()
    return tmp_path


def test_one_machine_listens_on_loopback_and_takes_jars_from_the_class_path(home: Path) -> None:
    settings = session_settings.settings()
    assert settings["spark.master"] == "local[*]"
    assert settings["spark.driver.host"] == settings["spark.driver.bindAddress"] == "127.0.0.1"
    assert settings["spark.authenticate"] == "true"
    assert settings["spark.driver.extraClassPath"] == os.pathsep.join(
        [str(home / "a.jar"), str(home / "b.jar")]
    )
    assert "spark.jars" not in settings
    assert settings["spark.delta.logStore.file.impl"] == "io.delta.storage.LocalLogStore"


def test_a_cluster_gets_the_jars_and_says_where_the_driver_is(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUPSCALE_SPARK_MASTER", "spark://head:7077")
    settings = session_settings.settings()
    assert settings["spark.jars"] == f"{home / 'a.jar'},{home / 'b.jar'}"
    # A JAR that is on the class path as well would be found twice.
    assert "spark.driver.extraClassPath" not in settings
    assert "spark.driver.host" not in settings
    # Its secret is in the cluster's own settings, which say as well that there is one.
    assert "spark.authenticate" not in settings
    # Its files may be on another system, which has an interface of its own.
    assert "spark.delta.logStore.file.impl" not in settings
    assert "spark.sql.streaming.checkpointFileManagerClass" not in settings


def test_workers_of_a_cluster_have_sockets_with_short_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A folder of YARN's containers leaves no room for a name: sockets have 107 bytes."""
    name = "spark.python.unix.domain.socket.dir"
    monkeypatch.setenv("GROUPSCALE_SPARK_MASTER", "yarn")
    assert session_settings.settings()[name] == "/tmp"
    monkeypatch.setenv("GROUPSCALE_SPARK_CONF", f'{{"{name}": "/run/spark"}}')
    assert session_settings.settings()[name] == "/run/spark"


@pytest.mark.parametrize(("length", "fits"), [(48, True), (49, False)])
def test_what_is_temporary_goes_where_the_process_has_its_own(
    monkeypatch: pytest.MonkeyPatch, length: int, fits: bool
) -> None:
    folder = "/" + (length - 1) * "t"
    monkeypatch.setattr(tempfile, "tempdir", folder)
    settings = session_settings.settings()
    assert f'"-Djava.io.tmpdir={folder}"' in settings["spark.driver.extraJavaOptions"]
    socket_folder = settings["spark.python.unix.domain.socket.dir"]
    assert socket_folder == (folder if fits else "/tmp")


def test_what_the_environment_says_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUPSCALE_SPARK_CONF", '{"spark.driver.memory": "7g", "x.y": 3}')
    settings = session_settings.settings()
    assert (settings["spark.driver.memory"], settings["x.y"]) == ("7g", "3")


def test_workers_have_the_interpreter_that_the_settings_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On this machine that of the session, whatever another Spark has left in the environment."""
    monkeypatch.setenv("PYSPARK_PYTHON", "/of/another/spark")
    session._choose_python(session_settings.settings())
    assert os.environ["PYSPARK_PYTHON"] == sys.executable
    monkeypatch.setenv("GROUPSCALE_SPARK_MASTER", "yarn")
    monkeypatch.setenv("PYSPARK_PYTHON", "/of/the/cluster")
    session._choose_python(session_settings.settings())
    assert os.environ["PYSPARK_PYTHON"] == "/of/the/cluster"
    monkeypatch.delenv("GROUPSCALE_SPARK_MASTER")
    there = "./environment/bin/python"
    monkeypatch.setenv("GROUPSCALE_SPARK_CONF", json.dumps({"spark.pyspark.python": there}))
    session._choose_python(session_settings.settings())
    assert os.environ["PYSPARK_PYTHON"] == there
    monkeypatch.delenv("GROUPSCALE_SPARK_CONF")
    monkeypatch.delenv("PYSPARK_PYTHON")
    session._choose_python(session_settings.settings())
    assert os.environ["PYSPARK_PYTHON"] == sys.executable


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"spark.hadoop.fs.s3a.secret.key": "hunter2"', "not valid JSON: .*line 1 column 45"),
        ('["hunter2"]', "got a list"),
        ('"hunter2"', "got a string"),
        ("42", "got a number"),
        ("null", "got null"),
        ("true", "got a boolean"),
    ],
)
def test_settings_that_are_no_object_are_refused_but_not_shown(
    monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.setenv("GROUPSCALE_SPARK_CONF", text)
    with pytest.raises(InputError, match=f"`GROUPSCALE_SPARK_CONF` .*{said}") as caught:
        session_settings.settings()
    assert "hunter2" not in str(caught.value)


def test_jars_are_those_of_now(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found in one folder is not taken for what is in another."""
    session_settings.settings()
    other = home / "other"
    other.mkdir()
    (other / "c.jar").touch()
    monkeypatch.setenv("GROUPSCALE_JARS", str(other))
    assert session_settings.settings()["spark.driver.extraClassPath"] == str(other / "c.jar")


def test_missing_jars_are_an_error_that_says_what_to_do(home: Path) -> None:
    (home / "a.jar").unlink()
    (home / "b.jar").unlink()
    with pytest.raises(InputError, match="make setup"):
        session_settings.settings()


def test_brief_runs_have_no_optimising_compiler() -> None:
    assert "TieredStopAtLevel=1" in jvm.options(brief=True)
    assert "TieredStopAtLevel" not in jvm.options(brief=False)


def test_one_compiler_alone_has_as_much_room_for_code_as_two() -> None:
    assert "-XX:ReservedCodeCacheSize=240m" in jvm.options(brief=True)


@pytest.mark.parametrize(
    ("text", "requested"), [("always [madvise] never", True), ("always madvise [never]", False)]
)
def test_large_pages_are_requested_where_linux_gives_them(
    home: Path, monkeypatch: pytest.MonkeyPatch, text: str, requested: bool
) -> None:
    monkeypatch.setattr(jvm, "LARGE_PAGES", home / "enabled")
    assert "TransparentHugePages" not in jvm.options(brief=True)
    (home / "enabled").write_text(f"{text}\n")
    assert ("-XX:+UseTransparentHugePages" in jvm.options(brief=True)) == requested


def test_an_archive_of_classes_is_used_where_there_is_one(home: Path) -> None:
    assert "jsa" not in jvm.options(brief=True)
    jvm.archive().parent.mkdir(parents=True)
    jvm.archive().touch()
    assert f"-XX:SharedArchiveFile={jvm.archive()}" in jvm.options(brief=True)


def test_an_archive_is_recorded_on_demand(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(jvm.RECORD, str(home / "new.jsa"))
    assert f"-XX:ArchiveClassesAtExit={home / 'new.jsa'}" in jvm.options(brief=True)


def test_two_cores_that_read_the_widest_rows_leave_half_the_memory() -> None:
    """Both at once ran out of memory when checks began to meet the stage after the next."""
    settings = session_settings.settings()
    batch = int(settings["spark.sql.parquet.columnarReaderBatchSize"]) * 10_000 * 4
    # An array that grows is there twice, the new one of double size.
    assert 2 * 3 * batch <= int(settings["spark.driver.memory"].removesuffix("g")) * 2**30 / 2


@pytest.mark.parametrize(("mask", "message"), [(0o022, "022"), (0o077, "077"), (0o007, "007")])
def test_files_of_tables_honour_the_umask(mask: int, message: str) -> None:
    """Hadoop has a setting of its own for the modes of its files."""
    before = os.umask(mask)
    try:
        assert session_settings.settings()["spark.hadoop.fs.permissions.umask-mode"] == message
        # It is still the same.
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
