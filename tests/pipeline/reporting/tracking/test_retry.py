"""How long runs wait for MLflow, and for what."""

from __future__ import annotations

import pytest
import requests
from mlflow.exceptions import InvalidUrlException, MlflowException, RestException
from mlflow.protos.databricks_pb2 import (
    INTERNAL_ERROR,
    INVALID_PARAMETER_VALUE,
    REQUEST_LIMIT_EXCEEDED,
    TEMPORARILY_UNAVAILABLE,
    UNAUTHENTICATED,
)

from pipeline.base.errors import InputError, StageError
from pipeline.reporting.tracking import retry


class Work:
    """Fails some times, then is done."""

    def __init__(self, failures: int, error: Exception) -> None:
        self.failures, self.error, self.tried = failures, error, 0

    def __call__(self) -> str:
        self.tried += 1
        if self.tried <= self.failures:
            raise self.error
        return "done"


def behind(cause: Exception) -> MlflowException:
    """An error as MLflow's client raises it for a failed request."""
    error = MlflowException(f"API request failed with exception {cause}")
    error.__context__ = cause
    return error


GONE = behind(requests.ConnectionError("Connection refused"))


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://me:secret@tracker:5000")
    monkeypatch.delenv(retry.PATIENCE, raising=False)
    for name in retry.CLIENT:
        monkeypatch.setenv(name, "1")


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The sleeps of a process whose clock advances by them alone."""
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    monkeypatch.setattr("time.monotonic", lambda: sum(pauses))
    return pauses


def test_waits_twice_as_long_each_time(slept: list[float]) -> None:
    assert retry.insist(Work(5, GONE), "mine") == "done"
    assert slept == [1, 2, 4, 8, 16]


def test_gives_up_after_the_default_time(slept: list[float]) -> None:
    with pytest.raises(retry.Unreachable) as caught:
        retry.insist(Work(1000, GONE), "mine")
    assert sum(slept) == retry.DEFAULT
    assert max(slept) == retry.LONGEST_PAUSE
    said = str(caught.value)
    assert said.startswith("MLflow at http://tracker:5000 refuses connections")
    assert " 120 s " in said
    assert said.endswith(retry.remedy("mine"))


def test_no_patience_is_one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(retry.PATIENCE, "0")
    work = Work(1, GONE)
    with pytest.raises(retry.Unreachable):
        retry.insist(work, "mine")
    assert work.tried == 1


@pytest.mark.parametrize("text", ["-1", "soon", "1.5", "86401", ""])
def test_a_time_that_is_none(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(retry.PATIENCE, text)
    with pytest.raises(InputError, match=r"GROUPSCALE_MLFLOW_PATIENCE .* 0 and 86,400"):
        retry.seconds()


def answered(status: int) -> requests.HTTPError:
    response = requests.Response()
    response.status_code = status
    return requests.HTTPError("answer", response=response)


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        (GONE, True),
        (behind(requests.exceptions.RetryError("too many 500 error responses")), True),
        (behind(ValueError("a bug")), False),
        (MlflowException("Invalid metric name", INTERNAL_ERROR), False),
        (MlflowException("The configured tracking uri scheme is not supported"), False),
        (MlflowException("API request to x failed with error code 502 != 200"), True),
        (RestException({"error_code": "INTERNAL_ERROR", "message": "ill"}), True),
        (RestException({"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "no"}), False),
        (MlflowException("busy", TEMPORARILY_UNAVAILABLE), True),
        (MlflowException("slower", REQUEST_LIMIT_EXCEEDED), True),
        (MlflowException("no such thing", INVALID_PARAMETER_VALUE), False),
        (MlflowException("(sqlite3) database or disk is full", TEMPORARILY_UNAVAILABLE), False),
        (InvalidUrlException("no address"), False),
        (requests.ConnectTimeout(), True),
        (answered(503), True),
        (answered(403), False),
        (MlflowException("failed with error code 401 != 200", UNAUTHENTICATED), False),
        (ConnectionResetError(), True),
        (ValueError("a bug"), False),
        (PermissionError(13, "Permission denied"), False),
    ],
)
def test_what_may_pass(error: Exception, passing: bool) -> None:
    assert retry.is_passing(error) is passing


def test_a_refusal_is_told_with_the_remedy() -> None:
    work = Work(1, MlflowException("no such thing", INVALID_PARAMETER_VALUE))
    with pytest.raises(StageError, match=r"tracker:5000: no such thing; .*--publish"):
        retry.insist(work, "mine")
    assert work.tried == 1


def test_a_wrong_password_is_told_at_once() -> None:
    page = "failed with error code 401 != 200. Response body: 'You are not authenticated. Please'"
    work = Work(1000, MlflowException(page, UNAUTHENTICATED))
    with pytest.raises(StageError) as caught:
        retry.insist(work, "mine")
    said = str(caught.value)
    assert said.startswith("MLflow at http://tracker:5000 ")
    assert "set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD" in said
    assert said.endswith(retry.remedy("mine"))
    assert work.tried == 1


def test_the_remedy_names_the_server_but_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    message = "`MLFLOW_TRACKING_URI=http://tracker:5000 groupscale track mine --publish`"
    assert message in retry.remedy("mine")
    # The default location is the same for all.
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    assert "`groupscale track mine --publish`" in retry.remedy("mine")


def test_other_errors_pass_through() -> None:
    with pytest.raises(ValueError, match="a bug"):
        retry.insist(Work(1, ValueError("a bug")), "mine")
