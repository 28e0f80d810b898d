"""The Airflow DAG run that a task belongs to: its inputs, failures and outcome.

Two environment variables let a caller such as ``make run`` follow a DAG run in one process:

``GROUPSCALE_PROGRESS_FD``
    Open file descriptor for the progress (default: standard output, which Airflow puts into
    the task's log).
``GROUPSCALE_OUTCOME``
    File for the outcome of the run: ``{"status": 0 | 1 | 2, "message": ...}``.
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

from pipeline.base import paths
from pipeline.base.errors import GroupscaleError, InputError, StageError, ValidationFailed
from pipeline.base.process import output
from pipeline.base.progress import Progress
from pipeline.base.text import addresses
from pipeline.experiments.family_list import family_of
from pipeline.orchestration import assets, schedule, spark_connection
from pipeline.reporting.tracking import retry
from pipeline.warehouse.spark import remote_session, session, spark_progress

if TYPE_CHECKING:
    from pipeline.warehouse.runs.context import RunContext

log = logging.getLogger(__name__)

RUN_ID, CAUSE = "run_id", "cause"
FINE = {"success", "skipped"}
PUBLISHED, FAILED, WRONG_INPUT = 0, 1, 2

_heard: dict[str, dict[str, tuple[str, str]]] = {}
"""Failed tasks of this process with causes, by DAG run and step: all under `airflow dags test`."""


@lru_cache(maxsize=1)
def progress() -> Progress:
    """The progress of this process's tasks."""
    return Progress(stream=terminal())


@lru_cache(maxsize=1)
def terminal() -> TextIO:
    """Stream for the progress: the given file descriptor, else standard output."""
    number = os.environ.get("GROUPSCALE_PROGRESS_FD")
    return output.lenient(int(number)) if number else sys.stdout


@contextmanager
def task_step(label: str) -> Iterator[None]:
    """Show a step's progress; if it fails, keep the cause for `failures` and the caller.

    Raises AirflowFailException instead of errors that a retry would repeat: wrong input, a failed
        validation, and any error of an attended run.
    Raises AirflowTaskTimeout if the task's time limit has passed.
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
        # An input error is complete, and its cause may quote a file.
        is_input_error = isinstance(error, InputError)
        log.error("%s", said if is_input_error else addresses.shown(traceback.format_exc()))
        _keep(label, said, error)
        if isinstance(error, InputError | ValidationFailed):
            raise AirflowFailException(said) from None
        raise _fit_to_log(error, said) from None


@contextmanager
def only_logged(what: str) -> Iterator[None]:
    """Log an error as a warning and continue."""
    try:
        yield
    except Exception:
        log.warning("%s: %s", what, addresses.shown(traceback.format_exc()))


def _fit_to_log(error: Exception, said: str) -> Exception:
    """The error to raise instead: Airflow logs its message and all its causes.

    The causes have already been logged, without passwords of addresses.
    """
    return error if addresses.shown(str(error)) == str(error) else StageError(said)


def _keep(label: str, cause: str, error: BaseException) -> None:
    """Keep the cause of a failed task; do not retry it if the run is attended."""
    context = get_current_context()
    ti = context["ti"]
    ti.xcom_push(CAUSE, cause)
    _heard.setdefault(context["dag_run"].run_id, {})[label] = (ti.task_id, cause)
    leave_outcome(WRONG_INPUT if isinstance(error, InputError) else FAILED, cause)
    if is_attended():
        raise AirflowFailException(cause) from None


def mark(cause: str) -> NoReturn:
    """Mark this task, and so the DAG run, as failed, although its run is published.

    The outcome for the caller is unchanged: the run is published.

    Raises AirflowFailException: Always: another try would find the same.
    """
    get_current_context()["ti"].xcom_push(CAUSE, cause)
    raise AirflowFailException(cause)


def is_attended() -> bool:
    """Whether a caller waits for this run, so that errors are reported without retries."""
    return "GROUPSCALE_OUTCOME" in os.environ


def leave_outcome(status: int, message: str) -> None:
    """Write the outcome of the run for the caller, if requested."""
    file = os.environ.get("GROUPSCALE_OUTCOME")
    if file:
        Path(file).write_text(json.dumps({"status": status, "message": message}))


def failures() -> str | None:
    """Causes of the failed tasks of this DAG run, None if none failed."""
    context = get_current_context()
    ti, run_id = context["ti"], context["dag_run"].run_id
    states = ti.get_task_states(dag_id=ti.dag_id, run_ids=[run_id])[run_id]
    bad = {task: state for task, state in states.items() if state not in FINE}
    for task in (ti.task_id, *context["task"].get_flat_relative_ids(upstream=False)):
        bad.pop(task, None)  # this task and those after it
    if not bad:
        return None
    causes = ti.xcom_pull(task_ids=sorted(context["dag"].task_ids), key=CAUSE)
    distinct = dict.fromkeys(str(cause) for cause in causes if cause)
    failed = sorted(task for task, state in bad.items() if state == "failed")
    return "\n".join(distinct) or (
        f"tasks failed without an error message: {', '.join(failed or sorted(bad))}"
    )


def causes(context: Mapping[str, Any]) -> dict[str, str | None]:
    """Failed tasks of a DAG run, with known causes, from its failure callback's context."""
    dag = context["dag"]
    by_task: dict[str, str | None] = {}
    try:
        by_task = _causes_in_airflow(context["ti"], dag.task_ids, context["run_id"])
    except Exception as error:
        # Under `airflow dags test` callbacks cannot query Airflow; rarely there is no task at all.
        log.debug("cannot read causes from Airflow: %r", error)
        by_task.update(_heard.get(context["run_id"], {}).values())
    if len(by_task) > 1 and by_task.get("conclude", "") is None:
        del by_task["conclude"]  # it only failed because others did
    return by_task


def _causes_in_airflow(ti: Any, tasks: Iterable[str], run_id: str) -> dict[str, str | None]:
    states = ti.get_task_states(dag_id=ti.dag_id, run_ids=[run_id])[run_id]
    # Keys of mapped tasks end with their index.
    failed = {re.sub(r"_\d+$", "", key) for key, state in states.items() if state == "failed"}
    by_task = {}
    for task in (task for task in tasks if task in failed):
        said = ti.xcom_pull(task_ids=[task], key=CAUSE)
        by_task[task] = "\n".join(dict.fromkeys(str(cause) for cause in said if cause)) or None
    return by_task


def prepare() -> None:
    """Prepare this process for a task: paths, cluster, and secrets to mask in its log."""
    paths.set_defaults()
    use_connection()
    secrets = addresses.passwords(paths.tracking_uri(), os.environ.get("GROUPSCALE_TABLES", ""))
    passwords = {os.environ.get(name, "") for name in (retry.PASSWORD, remote_session.TOKEN)}
    for secret in secrets | passwords - {""}:
        mask_secret(secret)


def name_session() -> None:
    """Name the attempt's Spark Connect session, ending the last; attended runs have one for all."""
    if not is_attended():
        ti = get_current_context()["ti"]
        session.identify(ti.dag_id, ti.run_id, ti.task_id, ti.map_index, attempt=ti.try_number)


def use_connection() -> None:
    """Use Spark's master and settings from Airflow's connection, if it exists.

    Its host is the master's URL or a Spark Connect server, its password the server's token, its
    extra a JSON object of settings. Existing environment variables take precedence.

    Raises InputError if the connection contains something that `spark_connection` does not allow.
    """
    try:
        connection = Connection.get(spark_connection.NAME)
    except AirflowNotFoundException:
        return
    os.environ.update(
        spark_connection.chosen(connection.host, connection.extra, connection.password)
    )


def has_tasks(*names: str) -> int:
    """How many of these tasks the DAG has."""
    return len(set(names) & set(get_current_context()["dag"].task_ids))


def params() -> Mapping[str, Any]:
    """Parameters of the DAG run; Airflow has checked their types."""
    values: Mapping[str, Any] = get_current_context()["params"]
    return values


def warehouse() -> Path:
    """Root of the tables: the parameter, else from the environment."""
    folder = params()["warehouse"]
    return Path(folder) if folder else paths.warehouse()


def owner() -> str:
    """Owner of the run id: the name of the DAG run."""
    run = get_current_context()["dag_run"]
    return f"airflow:{run.dag_id}:{run.run_id}"


def new_run_id() -> str:
    """The parameters' run id, else the DAG run's: a cleared `begin` restarts the same run."""
    run = get_current_context()["dag_run"]
    return name_of(params()["run_id"], run.run_id, run.run_after)


def name_of(name: str | None, dag_run_id: str, run_after: datetime) -> str:
    """The run id of a DAG run: the parameter ``name``, else one derived from the DAG run."""
    if name:
        return name
    distinct = hashlib.blake2b(dag_run_id.encode(), digest_size=3).hexdigest()
    return f"{run_after:%Y%m%dT%H%M%SZ}-{distinct}"


def push_run_id(run_id: str) -> None:
    """Pass the run id to the tasks after `begin`."""
    get_current_context()["ti"].xcom_push(RUN_ID, run_id)


def tell_consumers(ctx: RunContext) -> None:
    """Add the published run to the events of this task's assets."""
    events = get_current_context()["outlet_events"]
    for table in assets.filled(family_of(ctx.config).name):
        events[assets.asset(table)].extra = assets.extra(table, ctx)


def run_id() -> str | None:
    """The run id that `begin` pushed, None if the run did not begin."""
    pushed: str | None = get_current_context()["ti"].xcom_pull(task_ids="begin", key=RUN_ID)
    return pushed
