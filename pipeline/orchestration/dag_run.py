"""What a task knows of the Airflow DAG run it belongs to, and what it tells the outside.

Two environment variables let a caller follow a DAG run that it has started in one process
(``make run`` does):

``GROUPSCALE_PROGRESS_FD``
    Number of an open file descriptor for the progress; without it standard output is used,
    which Airflow puts into the task's log.
``GROUPSCALE_OUTCOME``
    File that gets how the run ended: ``{"status": 0 | 1 | 2, "message": ...}``.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from airflow.sdk import Connection, get_current_context
from airflow.sdk.exceptions import (
    AirflowFailException,
    AirflowNotFoundException,
    AirflowTaskTimeout,
)
from airflow.sdk.log import mask_secret

from pipeline import paths
from pipeline.errors import GroupscaleError, InputError, StageError, ValidationFailed
from pipeline.orchestration import assets, schedule, spark_connection
from pipeline.process import output
from pipeline.progress import Progress
from pipeline.spark import session, spark_progress
from pipeline.text import addresses
from pipeline.tracking import retry

if TYPE_CHECKING:
    from pipeline.runs.context import RunContext

log = logging.getLogger(__name__)

RUN_ID, CAUSE = "run_id", "cause"
FINE = {"success", "skipped"}
PUBLISHED, FAILED, WRONG_INPUT = 0, 1, 2

_heard: dict[str, dict[str, tuple[str, str]]] = {}
"""Tasks that failed in this process and why, by DAG run and step: `airflow dags test` has all."""


@lru_cache(maxsize=1)
def progress() -> Progress:
    """The progress of this process's tasks."""
    return Progress(stream=terminal())


@lru_cache(maxsize=1)
def terminal() -> TextIO:
    """Where people read along: the file that was handed over, else standard output."""
    number = os.environ.get("GROUPSCALE_PROGRESS_FD")
    return output.lenient(int(number)) if number else sys.stdout


@contextmanager
def told(label: str) -> Iterator[None]:
    """Show a step's progress; if it fails, keep why, for `failures` and for the caller.

    Raises
    ------
    AirflowFailException
        In place of an error that is not to be met again: wrong input, a failed validation,
        and any error of a run that somebody watches.
    AirflowTaskTimeout
        If the task's time limit has passed.
    """
    try:
        with progress().step(label, spark_progress.of_step(label.split()[0])):
            yield
        _heard.get(get_current_context()["dag_run"].run_id, {}).pop(label, None)
    except AirflowTaskTimeout as error:
        session.cancel_jobs()
        said = f"{label}: timed out; raise the limits with {schedule.FACTOR}"
        _keep(label, said, error)
        raise
    except Exception as error:
        said = str(error) if isinstance(error, GroupscaleError) else f"{label}: {error!r}"
        said = addresses.shown(said)
        # Wrong input says all that there is to say, and its cause may quote a file.
        known = isinstance(error, InputError)
        log.error("%s", said if known else addresses.shown(traceback.format_exc()))
        _keep(label, said, error)
        if isinstance(error, InputError | ValidationFailed):
            raise AirflowFailException(said) from None
        raise _fit_to_log(error, said) from None


@contextmanager
def only_logged(what: str) -> Iterator[None]:
    """Log an error as a warning, and go on."""
    try:
        yield
    except Exception:
        log.warning("%s: %s", what, addresses.shown(traceback.format_exc()))


def _fit_to_log(error: Exception, said: str) -> Exception:
    """The error to raise in place of one: Airflow logs what it says, and all that caused it.

    What caused it has been logged by then, without the passwords of addresses.
    """
    return error if addresses.shown(str(error)) == str(error) else StageError(said)


def _keep(label: str, cause: str, error: BaseException) -> None:
    """Keep why a task failed; end it for good if somebody waits for the run."""
    context = get_current_context()
    ti = context["ti"]
    ti.xcom_push(CAUSE, cause)
    _heard.setdefault(context["dag_run"].run_id, {})[label] = (ti.task_id, cause)
    leave_outcome(WRONG_INPUT if isinstance(error, InputError) else FAILED, cause)
    if is_attended():
        raise AirflowFailException(cause) from None


def mark(cause: str) -> NoReturn:
    """End this task, and so the DAG run, as failed, though the run that it made is published.

    What was left for the caller stays: that the run is published.

    Raises
    ------
    AirflowFailException
        Always: another try would find the same.
    """
    get_current_context()["ti"].xcom_push(CAUSE, cause)
    raise AirflowFailException(cause)


def is_attended() -> bool:
    """Whether somebody waits for this run: they would rather read the cause than wait more."""
    return "GROUPSCALE_OUTCOME" in os.environ


def leave_outcome(status: int, message: str) -> None:
    """Tell whoever started this process, where it asked for that, how the run ended."""
    file = os.environ.get("GROUPSCALE_OUTCOME")
    if file:
        Path(file).write_text(json.dumps({"status": status, "message": message}))


def failures() -> str | None:
    """Why tasks of this DAG run failed, None if none did."""
    context = get_current_context()
    ti, run_id = context["ti"], context["dag_run"].run_id
    states = ti.get_task_states(dag_id=ti.dag_id, run_ids=[run_id])[run_id]
    bad = {task: state for task, state in states.items() if state not in FINE}
    for task in (ti.task_id, *context["task"].get_flat_relative_ids(upstream=False)):
        bad.pop(task, None)  # this one, and those that are yet to come
    if not bad:
        return None
    causes = ti.xcom_pull(task_ids=sorted(context["dag"].task_ids), key=CAUSE)
    known = dict.fromkeys(str(cause) for cause in causes if cause)
    failed = sorted(task for task, state in bad.items() if state == "failed")
    return "\n".join(known) or (
        f"tasks failed without an error message: {', '.join(failed or sorted(bad))}"
    )


def causes(context: Mapping[str, Any]) -> dict[str, str | None]:
    """Tasks of a DAG run that failed, and why as far as they could say.

    Parameters
    ----------
    context
        What Airflow hands to the callback of a DAG run that failed.
    """
    dag = context["dag"]
    found: dict[str, str | None] = {}
    try:
        found = _causes_in_airflow(context["ti"], dag.task_ids, context["run_id"])
    except Exception as error:
        # `airflow dags test` lets callbacks ask for nothing, and rarely there is no task to ask.
        log.debug("cannot read causes from Airflow: %r", error)
        found.update(_heard.get(context["run_id"], {}).values())
    if len(found) > 1 and found.get("conclude", "") is None:
        del found["conclude"]  # it failed because others did
    return found


def _causes_in_airflow(ti: Any, tasks: Iterable[str], run_id: str) -> dict[str, str | None]:
    states = ti.get_task_states(dag_id=ti.dag_id, run_ids=[run_id])[run_id]
    # Those of mapped tasks end with their number.
    failed = {re.sub(r"_\d+$", "", key) for key, state in states.items() if state == "failed"}
    found = {}
    for task in (task for task in tasks if task in failed):
        said = ti.xcom_pull(task_ids=[task], key=CAUSE)
        found[task] = "\n".join(dict.fromkeys(str(cause) for cause in said if cause)) or None
    return found


def prepare() -> None:
    """Get this process ready for a task: places, the cluster, and what its log must not show."""
    paths.set_defaults()
    use_connection()
    secrets = addresses.passwords(paths.tracking_uri(), os.environ.get("GROUPSCALE_TABLES", ""))
    for secret in secrets | {os.environ.get(retry.PASSWORD, "")} - {""}:
        mask_secret(secret)


def use_connection() -> None:
    """Take Spark's master and settings from Airflow's connection, where there is one.

    Its host is the master's URL, its extra a JSON object of settings. What the environment
    says already wins.

    Raises
    ------
    InputError
        If the connection says what `spark_connection` does not let it say.
    """
    try:
        found = Connection.get(spark_connection.NAME)
    except AirflowNotFoundException:
        return
    os.environ.update(spark_connection.chosen(found.host, found.extra))


def has_tasks(*names: str) -> int:
    """How many of these tasks the DAG has."""
    return len(set(names) & set(get_current_context()["dag"].task_ids))


def params() -> Mapping[str, Any]:
    """Parameters of the DAG run; Airflow has checked their types."""
    found: Mapping[str, Any] = get_current_context()["params"]
    return found


def warehouse() -> Path:
    """Root of the tables: the parameter, else the environment's."""
    given = params()["warehouse"]
    return Path(given) if given else paths.warehouse()


def owner() -> str:
    """Name of the DAG run: whoever else works on its run id is not it."""
    run = get_current_context()["dag_run"]
    return f"airflow:{run.dag_id}:{run.run_id}"


def new_run_id() -> str:
    """The run id that was asked for, else one that follows from the DAG run.

    So a `begin` that is cleared and runs again begins the same run again.
    """
    run = get_current_context()["dag_run"]
    return name_of(params()["run_id"], run.run_id, run.run_after)


def name_of(given: str | None, dag_run_id: str, run_after: datetime) -> str:
    """The run id of a DAG run: the one ``given`` as its parameter, else one of its own."""
    if given:
        return given
    distinct = hashlib.blake2b(dag_run_id.encode(), digest_size=3).hexdigest()
    return f"{run_after:%Y%m%dT%H%M%SZ}-{distinct}"


def push_run_id(run_id: str) -> None:
    """Make the run id known to the tasks that follow `begin`."""
    get_current_context()["ti"].xcom_push(RUN_ID, run_id)


def tell_consumers(ctx: RunContext) -> None:
    """Put into the events of this task's assets which run they are about."""
    events = get_current_context()["outlet_events"]
    for table in assets.TABLES:
        events[assets.asset(table)].extra = assets.extra(table, ctx)


def run_id() -> str | None:
    """The run id that `begin` pushed, None if the run did not begin."""
    found: str | None = get_current_context()["ti"].xcom_pull(task_ids="begin", key=RUN_ID)
    return found
