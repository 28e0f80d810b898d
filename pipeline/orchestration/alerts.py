"""Alerts for failed or late DAG runs, sent through the Airflow connection `groupscale_alerts`.

Without that connection no alert is sent. A message that cannot be delivered is logged and does not
fail the run.
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

from pipeline.base.errors import InputError
from pipeline.base.text import addresses
from pipeline.experiments.family_list import STAGES
from pipeline.orchestration import airflow_internals, alert_delivery, dag_run, schedule

if TYPE_CHECKING:
    from airflow.sdk import Context
    from airflow.sdk.definitions.deadline import DeadlineAlert

CONNECTION = "groupscale_alerts"
FAILED, LATE = "failed", "late"
UNDER_WAY = ("queued", "running")
MAX_CAUSE = 2000

log = logging.getLogger(__name__)


class Alert(NamedTuple):
    """An alert about a DAG run."""

    event: str
    """``failed`` or ``late``."""
    dag_id: str
    dag_run_id: str
    """`dag_id`, `dag_run_id`: airflow's names of the DAG and its run."""
    run_id: str | None
    """Run id in the tables, None if the run did not begin."""
    tasks: tuple[str, ...]
    """Tasks that failed, in the order of the DAG."""
    cause: str
    """Error messages, one per line."""
    log_url: str
    """Page of the first of these tasks, else of the DAG run."""

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
    """Called by Airflow for a failed DAG run, and by its triggerer for a late one."""

    def render_template_fields(self, context: Context, jinja_env: Any = None) -> None:
        """Do nothing: there are no templates, and `airflow dags test` could not render them."""

    def notify(self, context: Context) -> None:
        """Send an alert for a failed DAG run, while Airflow's DAG processor waits."""
        alert = of_failure(context)
        try:
            connection = Connection.get(CONNECTION)
            if alert_delivery.is_mail(connection):
                alert_delivery.mail(connection, alert.subject, alert.text).notify(context)
            else:
                alert_delivery.post(connection, alert.payload())
        except Exception as error:
            _not_sent(error)

    async def async_notify(self, context: Context) -> None:
        """Send an alert for a late DAG run if it is still queued or running."""
        alert = of_miss(context)
        if alert is None:
            return
        try:
            connection = await Connection.async_get(CONNECTION)
            if alert_delivery.is_mail(connection):
                await alert_delivery.mail(connection, alert.subject, alert.text).async_notify(
                    context
                )
            else:
                await asyncio.to_thread(alert_delivery.post, connection, alert.payload())
        except Exception as error:
            _not_sent(error)


def deadline() -> DeadlineAlert | None:
    """Deadline of a nightly run: Airflow's triggerer runs `AlertNotifier` when it passes."""
    from airflow.sdk.definitions.callback import AsyncCallback
    from airflow.sdk.definitions.deadline import DeadlineAlert, DeadlineReference

    interval = schedule.deadline()
    if interval is None:
        return None
    reference = DeadlineReference.DAGRUN_QUEUED_AT
    return DeadlineAlert(reference, interval, AsyncCallback(AlertNotifier), name="late")


def of_failure(context: Mapping[str, Any]) -> Alert:
    """Alert for a failed DAG run, from the context of Airflow's callback."""
    dag_id, dag_run_id = context["dag"].dag_id, context["run_id"]
    causes = dag_run.causes(context)
    tasks = tuple(causes)
    cause_text = "\n".join(dict.fromkeys(cause for cause in causes.values() if cause))
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
        _clean(cause_text or f"no task reported an error (Airflow: {context.get('reason')})"),
        _page(dag_id, dag_run_id, *tasks[:1]),
    )


def of_miss(context: Mapping[str, Any]) -> Alert | None:
    """Alert for a DAG run whose deadline has passed; None if the run has ended.

    Airflow 3.3 keeps the deadline of a failed run, for which an alert has been sent already.
    """
    run = context["dag_run"]
    if run["state"] not in UNDER_WAY:
        return None
    due = context["deadline"]["deadline_time"]
    run_id = (run.get("conf") or {}).get("run_id")
    return Alert(
        LATE,
        run["dag_id"],
        run["dag_run_id"],
        dag_run.name_of(run_id, run["dag_run_id"], datetime.fromisoformat(run["run_after"])),
        (),
        f"still {run['state']}; was due at {due}",
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
    """A cause without secrets, shortened if long."""
    hidden = airflow_internals.redacted(cause)
    if hidden is None:
        return "see the task's log"
    text = addresses.shown(hidden)
    return text if len(text) <= MAX_CAUSE else text[: MAX_CAUSE - 1] + "…"


def _not_sent(error: Exception) -> None:
    """Log that no alert was sent and why, without the connection's secrets."""
    if isinstance(error, AirflowNotFoundException):
        log.info("no connection %s: no alert sent", CONNECTION)
        return
    is_input_error = isinstance(error, InputError)
    reason = str(error) if is_input_error else type(error).__name__
    if isinstance(error, HTTPError):
        reason = f"HTTP status {error.code}"
    log.error("connection %s: no alert sent: %s", CONNECTION, reason)
