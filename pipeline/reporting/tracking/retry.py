"""Retries while MLflow is unavailable: a restarting or busy server must not fail a run of hours.

``GROUPSCALE_MLFLOW_PATIENCE``
    Seconds that a run waits for MLflow in each stage that uses it (default 120; 0 for a single
    attempt). An attempt in progress is not interrupted: MLflow's client needs about half a minute
    to time out on a server that does not respond.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import tenacity

from pipeline.base import paths, progress
from pipeline.base.errors import InputError, StageError
from pipeline.base.text import addresses
from pipeline.warehouse.storage import faults

if TYPE_CHECKING:
    from mlflow.exceptions import MlflowException

T = TypeVar("T")

PATIENCE, DEFAULT, MOST = "GROUPSCALE_MLFLOW_PATIENCE", 120, 86_400
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0

CLIENT = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
}
"""Limits for requests of MLflow's client, which by default times out after a quarter of an hour."""

ENV = "MLFLOW_TRACKING_URI"
USER, PASSWORD = "MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD"
UNAUTHENTICATED, TOO_MANY, SERVER_ERROR = 401, 429, 500


class Unreachable(StageError):
    """MLflow stayed unavailable for the whole waiting time."""


def seconds() -> float:
    """Seconds that a run waits for MLflow. Raises InputError if the variable is no number."""
    text = os.environ.get(PATIENCE, str(DEFAULT))
    if not text.isdecimal() or int(text) > MOST:
        raise InputError(
            f"{PATIENCE} must be an integer number of seconds between 0 and {MOST:,} (got "
            f"{text!r}); unset it for {DEFAULT}"
        )
    return float(text)


def set_defaults() -> None:
    """Make MLflow's client fail soon, unless the environment sets its limits."""
    for name, value in CLIENT.items():
        os.environ.setdefault(name, value)


def insist(work: Callable[[], T], run_id: str) -> T:
    """Do work that needs MLflow, and retry while MLflow is unavailable.

    work: Work that can be repeated after it was done in part.
    run_id: Run that the work is for.
    Raises Unreachable if MLflow stays unavailable for the whole waiting time.
    Raises StageError if MLflow rejects the request.
    """
    set_defaults()
    place = f"MLflow at {addresses.shown(paths.tracking_uri())}"
    limit, started = seconds(), time.monotonic()
    pauses = tenacity.wait_exponential(FIRST_PAUSE, LONGEST_PAUSE)

    def left(state: tenacity.RetryCallState) -> float:
        return max(0.0, limit - (state.seconds_since_start or 0))

    def say(state: tenacity.RetryCallState) -> None:
        if state.outcome is not None and (error := state.outcome.exception()):
            wait = f"retrying in {state.upcoming_sleep:.0f} s, giving up in {left(state):.0f} s"
            progress.note(f"{place} {reason(error)}; {wait}")

    attempts = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type() & tenacity.retry_if_exception(is_passing),
        stop=tenacity.stop_after_delay(limit),
        wait=lambda state: min(pauses(state), left(state)),
        before_sleep=say,
        reraise=True,
    )
    try:
        return attempts(work)
    except Exception as error:
        if is_passing(error):
            waited = f"after {time.monotonic() - started:.0f} s of retries"
            raise Unreachable(f"{place} {reason(error)} {waited}; {remedy(run_id)}") from error
        if not _is_of_mlflow(error):
            raise
        raise StageError(f"{place}{_refusal(error)}; {remedy(run_id)}") from error


def _refusal(error: Exception) -> str:
    """Reason why MLflow rejected a request."""
    from mlflow.exceptions import MlflowException

    if isinstance(error, MlflowException) and _status(error) == UNAUTHENTICATED:
        return f" rejected the user name and password: set {USER} and {PASSWORD}"
    return f": {addresses.shown(' '.join(str(error).split()))[: faults.MAX_CAUSE]}"


def remedy(run_id: str) -> str:
    """What to do about a run that was not logged to MLflow."""
    uri = paths.tracking_uri()
    # The shell where the command is typed may use another URI than a service.
    where = "" if uri == paths.default_tracking_uri() else f"{ENV}={addresses.shown(uri)} "
    return (
        "the run's tables are complete: once MLflow is available again, publish the run with "
        f"`{where}groupscale track {run_id} --publish`"
    )


def _is_of_mlflow(error: BaseException) -> bool:
    return type(error).__module__.startswith("mlflow.") and not faults.is_disk(error)


def is_passing(error: BaseException) -> bool:
    """Whether an error may be temporary: no connection, no answer, or a server error."""
    if faults.is_disk(error):
        return False
    return any(_is_passing(link) for link in faults.chain(error))


def _is_passing(error: BaseException) -> bool:
    import requests
    from mlflow.exceptions import InvalidUrlException, MlflowException, RestException

    if isinstance(error, InvalidUrlException):
        return False
    if isinstance(error, MlflowException):
        status = _status(error)
        if status == SERVER_ERROR and not isinstance(error, RestException):
            # The client also uses this status for its own errors.
            return _ANSWERED in str(error)
    elif isinstance(error, requests.HTTPError) and error.response is not None:
        status = int(error.response.status_code)
    else:
        lost: tuple[type[Exception], ...] = (ConnectionError, TimeoutError)
        lost += (requests.ConnectionError, requests.Timeout)
        lost += (requests.exceptions.RetryError, requests.exceptions.ChunkedEncodingError)
        return isinstance(error, lost)
    return status == TOO_MANY or status >= SERVER_ERROR


def _status(error: MlflowException) -> int:
    return int(error.get_http_status_code())  # type: ignore[no-untyped-call]


_ANSWERED = "failed with error code 5"
"""Message of MLflow's client for a server error, from the server or a proxy."""

_REASONS = (
    ("refused", "refuses connections"),
    ("timed out", "does not answer"),
    ("timeout", "does not answer"),
    ("too many 5", "returns server errors"),
    ("error code 5", "returns server errors"),
    ("INTERNAL_ERROR", "returns server errors"),
    ("resolve", "has a host name that cannot be resolved"),
)


def reason(error: BaseException) -> str:
    """What is wrong with MLflow, in a few words."""
    story = " ".join(str(link) for link in faults.chain(error))
    return next((words for sign, words in _REASONS if sign in story), "is unreachable")
