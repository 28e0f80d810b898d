"""Faults of the machine, recognised in chains of exceptions as Spark and Python give them."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from pipeline.base.errors import InputError, StageError
from pipeline.base.paths import Paths
from pipeline.warehouse.storage import faults
from pipeline.warehouse.storage.faults import Causes


@pytest.fixture
def places(tmp_path: Path) -> Paths:
    (tmp_path / "scores").mkdir()
    return Paths(tmp_path)


def message_of(error: Exception, places: Paths) -> str:
    with pytest.raises(StageError) as caught, Causes("score", places, "mine"):
        raise error
    assert caught.value.__cause__ is error
    return str(caught.value)


class JavaError(Exception):
    """An exception as PySpark raises it: the message, and Java's trace."""

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self._stackTrace = trace


def test_a_full_disk_deep_in_a_java_trace(places: Paths) -> None:
    trace = "org.apache.spark.SparkException: x\n\tat a.b\nCaused by: java.io.IOException: "
    said = message_of(JavaError("[TASK_WRITE_FAILED] x", f"{trace}No space left on device"), places)
    assert said.startswith("score: no space left on /")
    assert " free)" in said
    assert said.endswith("--run-id mine")


def test_a_full_disk_behind_another_error(places: Paths) -> None:
    error = RuntimeError("cannot go on")
    error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert message_of(error, places).startswith("score: no space left on ")


def test_the_folder_with_the_least_room_is_named(
    places: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = {places.warehouse: (5_000, 9_000_000)}
    monkeypatch.setattr(faults, "_room", lambda folder: room.get(folder, (10**9, 10**10)))
    said = message_of(OSError(errno.ENOSPC, "No space left on device"), places)
    assert f"no space left on {places.warehouse} (5 kB of 9 MB free)" in said


def test_an_own_algorithm_that_breaks_its_contract(places: Paths) -> None:
    """Its own words may be like those of a fault of the machine."""
    text = "mine:assign: iteration 7: OSError: No space left on device; correct the function"
    trace = f"Traceback:\n  File x\nalgorithms.core.input_errors.OwnFunctionError: {text}\n"
    assert message_of(JavaError(trace), places) == f"score: {text}"


def test_a_limit_of_the_process(places: Paths) -> None:
    assert "ulimit -f" in message_of(OSError(errno.EFBIG, "File too large"), places)


@pytest.mark.parametrize(
    "message",
    [
        "java.io.IOException: Mkdirs failed to create file:{0}/scores/x (exists=false)",
        "java.io.FileNotFoundException: {0}/scores/part-1.parquet (Read-only file system)",
        "java.nio.file.AccessDeniedException: {0}/scores/_delta_log: Permission denied",
        "Could not create local directory: {0}/scores/x\nError: Os {{ kind: 'Permission denied' }}",
    ],
)
def test_what_cannot_be_written(places: Paths, message: str) -> None:
    said = message_of(JavaError(message.format(places.warehouse)), places)
    assert f"{places.warehouse}/scores/" in said
    assert "--warehouse" in said
    assert "damaged" not in said


FILE = "scores/run_id=mine/part-00000-1a2b.c000.zstd.parquet"


@pytest.mark.parametrize(
    "message",
    [
        "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file://{0}.",
        "[FAILED_READ_FILE.FILE_NOT_EXIST] reading file file:{0}. File does not exist.",
        "[FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER] file:{0}: x",
        "java.io.FileNotFoundException: File file:{0} does not exist",
    ],
)
def test_a_damaged_file_is_named_with_its_table(places: Paths, message: str) -> None:
    said = message_of(JavaError(message.format(places.warehouse / FILE)), places)
    assert said == (
        f"score: table scores: cannot read {FILE}: the file is damaged or missing; "
        "repeat the run with --run-id mine"
    )


def test_names_are_as_on_disk(places: Paths) -> None:
    (places.warehouse / "scores" / "experiment=a%20b").mkdir()
    for shown in ("a%2520b", "a%20b"):
        name = f"{places.warehouse}/scores/experiment={shown}/part-0.parquet"
        said = message_of(
            JavaError(f"[FAILED_READ_FILE.NO_HINT] reading file file://{name}."), places
        )
        assert "cannot read scores/experiment=a%20b/part-0.parquet:" in said


def test_a_damaged_file_of_another_run_is_not_blamed_on_this_one(places: Paths) -> None:
    name = f"{places.warehouse}/scores/run_id=old/part-0.parquet"
    for error in (
        JavaError(f"[FAILED_READ_FILE.NO_HINT] reading file file://{name}."),
        faults.damaged("scores", "run_id=old/part-0.parquet"),
    ):
        assert message_of(error, places) == (
            "score: table scores: cannot read scores/run_id=old/part-0.parquet: the file is "
            "damaged or missing; it belongs to run old: restore it from a backup, or repeat that "
            "run with --run-id old"
        )


def test_a_damaged_file_that_no_run_writes_anew(places: Paths) -> None:
    said = message_of(faults.damaged("baselines", "run_id=mine/part-0.parquet"), places)
    assert said.endswith("; restore it from a backup")


def test_a_damaged_log_is_another_matter(places: Paths) -> None:
    name = f"{places.warehouse}/scores/_delta_log/00000000000000000003.json"
    said = message_of(JavaError(f"java.io.FileNotFoundException: file:{name}"), places)
    assert "its log is damaged" in said
    assert "backup" in said


def test_files_of_others_are_not_blamed_on_tables(places: Paths) -> None:
    assert message_of(FileNotFoundError("/elsewhere/a.parquet"), places).startswith(
        "score: FileNotFoundError: "
    )


def test_a_jvm_that_has_ended(places: Paths) -> None:
    class Py4JNetworkError(Exception):
        """As py4j names it."""

    assert "Spark's process has ended" in message_of(Py4JNetworkError("no answer"), places)


@pytest.mark.parametrize(
    "text",
    [
        "<_MultiThreadedRendezvous of RPC that terminated with:\n\tstatus = StatusCode.UNAVAILABLE",
        "[INVALID_HANDLE.SESSION_CHANGED] The handle 7 is invalid.",
        "[RESPONSE_ALREADY_RECEIVED] INVALID_HANDLE.SESSION_NOT_FOUND on the server",
        "[NO_ACTIVE_SESSION] No active Spark session found.",
    ],
)
def test_a_server_that_has_ended_or_was_restarted(places: Paths, text: str) -> None:
    said = message_of(JavaError(text), places)
    assert said.startswith("score: Spark's process has ended, was restarted or does not respond")
    assert said.endswith("repeat the run with --run-id mine")


def test_other_errors_are_one_line(places: Paths) -> None:
    assert message_of(ValueError("first\nsecond"), places) == "score: ValueError: first"


def test_errors_of_ours_pass_through(places: Paths) -> None:
    with pytest.raises(InputError, match=r"^mine$"), Causes("score", places, "mine"):
        raise InputError("mine")
