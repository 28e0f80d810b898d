"""What the process that forks Spark's Python workers says."""

from __future__ import annotations

import os
import socket

import pytest

from pipeline.worker_daemon import Worker, silenced

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
