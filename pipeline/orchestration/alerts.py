"""Tells of DAG runs that failed or are late, by the Airflow connection `groupscale_alerts`.

Without that connection nothing is sent, and nothing fails. A message that cannot be delivered is
a line in the log: it must not make a run look worse than it is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote

from airflow.sdk import Connection
from airflow.sdk.bases.notifier import BaseNotifier
from airflow.sdk.exceptions import AirflowNotFoundException

from pipeline.errors import InputError
from pipeline.orchestration import dag_run, delivery, schedule
from pipeline.stages import STAGES
from pipeline.text import addresses

if TYPE_CHECKING:
    from airflow.sdk import Context
    from airflow.sdk.definitions.deadline import DeadlineAlert

CONNECTION = "groupscale_alerts"
FAILED, LATE = "failed", "late"
UNDER_WAY = ("queued", "running")
MAX_CAUSE = 2000

log = logging.getLogger(__name__)


class Alert(NamedTuple):
    """What there is to tell of a DAG run.

    Attributes
    ----------
    event
        ``failed`` or ``late``.
    dag_id, dag_run_id
        Airflow's names of the DAG and its run.
    run_id
        The run in the tables, None if there is none.
    tasks
        Tasks that failed, in the order of the DAG.
    cause
        Why, in one line or a few.
    log_url
        Page of the first of these tasks, else of the DAG run.
    """

    event: str
    dag_id: str
    dag_run_id: str
    run_id: str | None
    tasks: tuple[str, ...]
    cause: str
    log_url: str

    @property
    def subject(self) -> str:
        """The alert in a line."""
        words = {FAILED: "failed", LATE: "is late"}[self.event]
        return f"Groupscale: {self.dag_id} {words}, run {self.run_id or self.dag_run_id}"

    @property
    def text(self) -> str:
        """The alert in a few lines."""
        tasks = f"Failed: {', '.join(self.tasks)}\n" if self.tasks else ""
        return (
            f"{self.subject}\n{tasks}Cause: {self.cause}\n"
            f"DAG run: {self.dag_run_id}\nLog: {self.log_url}"
        )

    def payload(self) -> dict[str, Any]:
        """The alert as a JSON object; chat programs show its ``text``."""
        return {"text": self.text, **self._asdict()}


class AlertNotifier(BaseNotifier):
    """Airflow calls it for a DAG run that failed, and its triggerer for one that is late."""

    def render_template_fields(self, context: Context, jinja_env: Any = None) -> None:
        """Do nothing: it has no templates, and `airflow dags test` brings a DAG without."""

    def notify(self, context: Context) -> None:
        """Tell of a DAG run that failed, while Airflow's DAG processor waits."""
        alert = of_failure(context)
        try:
            connection = Connection.get(CONNECTION)
            if delivery.is_mail(connection):
                delivery.mail(connection, alert.subject, alert.text).notify(context)
            else:
                delivery.post(connection, alert.payload())
        except Exception as error:
            _not_sent(error)

    async def async_notify(self, context: Context) -> None:
        """Tell of a DAG run that is late, if it still is under way."""
        alert = of_miss(context)
        if alert is None:
            return
        try:
            connection = await Connection.async_get(CONNECTION)
            if delivery.is_mail(connection):
                await delivery.mail(connection, alert.subject, alert.text).async_notify(context)
            else:
                await asyncio.to_thread(delivery.post, connection, alert.payload())
        except Exception as error:
            _not_sent(error)


def deadline() -> DeadlineAlert | None:
    """The deadline of a night: `AlertNotifier` runs in Airflow's triggerer when it has passed."""
    from airflow.sdk.definitions.callback import AsyncCallback
    from airflow.sdk.definitions.deadline import DeadlineAlert, DeadlineReference

    interval = schedule.deadline()
    if interval is None:
        return None
    reference = DeadlineReference.DAGRUN_QUEUED_AT
    return DeadlineAlert(reference, interval, AsyncCallback(AlertNotifier), name="late")


def of_failure(context: Mapping[str, Any]) -> Alert:
    """What to tell of a DAG run that failed, from the context of Airflow's callback."""
    dag_id, dag_run_id = context["dag"].dag_id, context["run_id"]
    causes = dag_run.causes(context)
    tasks = tuple(causes)
    told = "\n".join(dict.fromkeys(cause for cause in causes.values() if cause))
    run = context.get("dag_run")
    run_id = None
    if run is not None and "begin" not in causes:
        run_id = dag_run.name_of(context["params"]["run_id"], run.run_id, run.run_after)
    return Alert(
        FAILED,
        dag_id,
        dag_run_id,
        run_id,
        tasks,
        _clean(told or f"no task said why (Airflow says: {context.get('reason')})"),
        _page(dag_id, dag_run_id, *tasks[:1]),
    )


def of_miss(context: Mapping[str, Any]) -> Alert | None:
    """What to tell of a DAG run whose deadline has passed; None if it has ended by then.

    Airflow 3.3 keeps the deadline of a run that failed, which has been told already.
    """
    run = context["dag_run"]
    if run["state"] not in UNDER_WAY:
        return None
    due = context["deadline"]["deadline_time"]
    given = (run.get("conf") or {}).get("run_id")
    return Alert(
        LATE,
        run["dag_id"],
        run["dag_run_id"],
        dag_run.name_of(given, run["dag_run_id"], datetime.fromisoformat(run["run_after"])),
        (),
        f"still {run['state']}, and was to be done by {due}",
        _page(run["dag_id"], run["dag_run_id"]),
    )


def _page(dag_id: str, dag_run_id: str, task: str | None = None) -> str:
    """Address of the page of a DAG run, or of one of its tasks with its log."""
    from airflow.sdk.configuration import conf

    base = conf.get("api", "base_url", fallback="http://127.0.0.1:8080").rstrip("/")
    run = f"{base}/dags/{dag_id}/runs/{quote(dag_run_id)}"
    if task is None:
        return run
    mapped = any(stage.name == task and stage.mapped for stage in STAGES)
    return f"{run}/tasks/{task}{'/mapped' if mapped else ''}"


def _clean(cause: str) -> str:
    """A cause without what must not leave the machine, shortened where it is long."""
    try:
        from airflow.sdk._shared.secrets_masker import redact  # Airflow 3.3 has no public one
    except ImportError:
        return "see the task's log"
    text = addresses.shown(str(redact(cause)))
    return text if len(text) <= MAX_CAUSE else text[: MAX_CAUSE - 1] + "…"


def _not_sent(error: Exception) -> None:
    """Say in the log that nothing was sent and why, without the connection's secrets."""
    if isinstance(error, AirflowNotFoundException):
        log.info("no connection %s: nobody is told", CONNECTION)
        return
    known = isinstance(error, InputError)
    reason = str(error) if known else type(error).__name__
    if isinstance(error, HTTPError):
        reason = f"answer {error.code}"
    log.error("connection %s: no alert sent: %s", CONNECTION, reason)
