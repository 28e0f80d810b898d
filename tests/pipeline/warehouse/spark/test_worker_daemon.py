"""What the process that forks Spark's Python workers says."""

from __future__ import annotations

import os
import socket
import sys
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile
from zipimport import zipimporter

import pytest

from pipeline.warehouse.spark.worker_daemon import (
    Worker,
    forget_archives,
    silenced,
    without_archives,
)

pytestmark = pytest.mark.unit


class Ended(BaseException):
    """In place of the end of the process."""


def failing(error: Exception) -> Worker:
    def worker(sock: socket.socket, authenticated: bool) -> int:
        raise error

    return worker


@pytest.mark.parametrize("error", [BrokenPipeError(32, "gone"), ConnectionResetError()])
def test_a_worker_whose_spark_has_ended_ends(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def end(status: int) -> None:
        raise Ended(status)

    monkeypatch.setattr(os, "_exit", end)
    with socket.socket() as sock, pytest.raises(Ended, match="1"):
        silenced(failing(error))(sock, True)
    assert capsys.readouterr().err == ""


def test_other_errors_are_the_daemons() -> None:
    with socket.socket() as sock, pytest.raises(ValueError, match="kernel"):
        silenced(failing(ValueError("kernel")))(sock, True)


def test_the_daemon_calls_workers_by_the_name_that_is_replaced() -> None:
    """Should PySpark call them otherwise, nothing would be silenced."""
    from pyspark import daemon

    assert "worker" in daemon.manager.__code__.co_names


@pytest.fixture
def archive(tmp_path: Path) -> str:
    """Path of an archive that has modules."""
    file = tmp_path / "spark.zip"
    with ZipFile(file, "w") as packed:
        packed.writestr("within.py", "")
    return str(file)


def test_archives_leave_the_path_where_pyspark_is_installed(archive: str) -> None:
    assert without_archives(["", archive, *sys.path]) == ["", *without_archives(sys.path)]
    assert [entry for entry in without_archives(sys.path) if Path(entry).is_file()] == []


def test_archives_stay_where_pyspark_is_in_them_alone(archive: str, tmp_path: Path) -> None:
    assert without_archives([archive, str(tmp_path)]) == [archive, str(tmp_path)]


def test_no_listing_of_an_archive_is_kept(archive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each task would read all cached ones again, with any path."""
    monkeypatch.setattr(sys, "path", [*sys.path, archive])
    monkeypatch.setattr(sys, "path_importer_cache", dict(sys.path_importer_cache))
    assert find_spec("within") is not None
    assert isinstance(sys.path_importer_cache[archive], zipimporter)
    monkeypatch.setattr(sys, "path", without_archives(sys.path))
    forget_archives()
    assert archive not in sys.path_importer_cache
    assert find_spec("within") is None
