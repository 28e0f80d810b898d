"""Waits for MLflow: a server that starts anew, or is busy, must not cost a run of hours.

``GROUPSCALE_MLFLOW_PATIENCE``
    Seconds for which a run waits for MLflow in each stage that tells it something; default 120,
    0 for a single try. A try that is under way then is not cut short: one takes as long as
    MLflow's client needs to give up, which is half a minute where nothing answers.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from pipeline import paths, progress
from pipeline.errors import InputError, StageError
from pipeline.storage import faults
from pipeline.text import addresses

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
"""How soon MLflow's client gives up a request: by its own defaults, after a quarter of an hour."""

ENV = "MLFLOW_TRACKING_URI"
USER, PASSWORD = "MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD"
UNAUTHENTICATED, TOO_MANY, SERVER_ERROR = 401, 429, 500


class Unreachable(StageError):
    """MLflow did not answer for as long as a run waits."""


def seconds() -> float:
    """How long a run waits for MLflow.

    Raises
    ------
    InputError
        If the environment says something else than a number of seconds.
    """
    text = os.environ.get(PATIENCE, str(DEFAULT))
    if not text.isdecimal() or int(text) > MOST:
        raise InputError(
            f"{PATIENCE} must be an integer number of seconds between 0 and {MOST:,} (got "
            f"{text!r}); unset it for {DEFAULT}"
        )
    return float(text)


def set_defaults() -> None:
    """Have MLflow's client give up soon, where the environment does not say when."""
    for name, value in CLIENT.items():
        os.environ.setdefault(name, value)


def insist(
    work: Callable[[], T],
    run_id: str,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> T:
    """Do something that needs MLflow, again and again while MLflow does not answer.

    Parameters
    ----------
    work
        Something that can be done again after it has been done in part.
    run_id
        The run that it is done for.

    Raises
    ------
    Unreachable
        If MLflow does not answer for as long as a run waits.
    StageError
        If it answers that it does not want what it is told.
    """
    set_defaults()
    limit, pause, started = seconds(), FIRST_PAUSE, clock()
    while True:
        try:
            return work()
        except Exception as error:
            place = f"MLflow at {addresses.shown(paths.tracking_uri())}"
            if not is_passing(error):
                if not _is_of_mlflow(error):
                    raise
                raise StageError(f"{place}{_refusal(error)}; {remedy(run_id)}") from error
            waited = clock() - started
            left = limit - waited
            where = f"{place} {reason(error)}"
            if left <= 0:
                message = f"{where} after {waited:.0f} s of retries; {remedy(run_id)}"
                raise Unreachable(message) from error
        wait = min(pause, left)
        progress.note(f"{where}; retrying in {wait:.0f} s, giving up in {left:.0f} s")
        sleep(wait)
        pause = min(2 * pause, LONGEST_PAUSE)


def _refusal(error: Exception) -> str:
    """What MLflow, which has answered, does not want."""
    from mlflow.exceptions import MlflowException

    if isinstance(error, MlflowException) and _status(error) == UNAUTHENTICATED:
        return f" rejected the user name and password: set {USER} and {PASSWORD}"
    return f": {addresses.shown(' '.join(str(error).split()))[: faults.MAX_CAUSE]}"


def remedy(run_id: str) -> str:
    """What to do about a run that MLflow was not told of."""
    uri = paths.tracking_uri()
    # Whoever types the command may have another place in the environment than a service has.
    where = "" if uri == paths.default_tracking_uri() else f"{ENV}={addresses.shown(uri)} "
    return (
        "the run's tables are complete: once MLflow is available again, publish the run with "
        f"`{where}groupscale track {run_id} --publish`"
    )


def _is_of_mlflow(error: BaseException) -> bool:
    return type(error).__module__.startswith("mlflow.") and not faults.is_disk(error)


def is_passing(error: BaseException) -> bool:
    """Whether an error may be gone soon: no connection, no answer, or a server that is ill."""
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
            # The client has this status for all that it finds wrong by itself, too.
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
"""What MLflow's client says of an answer from a server that is ill, or from a proxy before it."""

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
