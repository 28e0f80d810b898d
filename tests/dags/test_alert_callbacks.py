"""Alerts for DAG runs that failed or are late: recipients and content, without secrets."""

import asyncio
import email
import json
import logging
import re
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from tests import servers

pytestmark = pytest.mark.airflow

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TASKS = ["begin", "conclude", "run_algorithms", "check_assignments", "track", "compact"]


class Task:
    """The task that Airflow passes to a DAG run's callback, with the states of all tasks."""

    dag_id, task_id = "nightly", "conclude"

    def __init__(self, states, causes):
        self.states, self.causes = states, causes

    def get_task_states(self, dag_id, run_ids):
        return {run_ids[0]: self.states}

    def xcom_pull(self, task_ids, key):
        (task,) = task_ids
        return self.causes.get(task, [None])


def failure(states, causes=(), **more):
    """Arguments that Airflow passes when a DAG run has failed."""
    return {
        "dag": SimpleNamespace(dag_id="nightly", task_ids=TASKS),
        "run_id": "scheduled__1",
        "dag_run": SimpleNamespace(run_id="scheduled__1", run_after=MOMENT),
        "ti": Task(states, dict(causes)),
        "params": {"run_id": None},
        "reason": "task_failure",
        **more,
    }


def miss(state="running", conf=None):
    """Arguments that Airflow passes when a deadline has passed."""
    return {
        "dag_run": {
            "dag_id": "nightly",
            "dag_run_id": "scheduled__1",
            "state": state,
            "run_after": "2026-01-02T03:04:05Z",
            "conf": conf,
        },
        "deadline": {"id": "1", "deadline_time": MOMENT},
    }


TRACK = failure(
    {"begin": "success", "track": "failed", "report": "upstream_failed", "conclude": "failed"},
    {"track": ["track: no answer from http://ann:pw@mlflow:5000"]},
)


@pytest.fixture
def connect(monkeypatch):
    """Function that defines the connection, by its fields or its URI."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("AIRFLOW_CONN_GROUPSCALE_ALERTS", raising=False)

    def define(uri=None, **fields):
        text = uri or json.dumps(fields)
        monkeypatch.setenv("AIRFLOW_CONN_GROUPSCALE_ALERTS", text)

    return define


@pytest.fixture
def notifier(monkeypatch):
    from pipeline.orchestration import alert_delivery, alerts

    monkeypatch.setattr(alert_delivery, "PAUSES", (0.0, 0.0))
    return alerts.AlertNotifier()


def test_a_failure_names_run_task_cause_and_log():
    from pipeline.orchestration import alerts

    alert = alerts.of_failure(TRACK)
    assert alert.tasks == ("track",)  # the end failed because it did
    assert alert.cause == "track: no answer from http://mlflow:5000"
    assert alert.run_id == "20260102T030405Z-" + alert.run_id[-6:]
    assert alert.log_url.endswith("/dags/nightly/runs/scheduled__1/tasks/track")
    for word in (alert.run_id, "track", alert.cause, alert.log_url, "scheduled__1"):
        assert word in alert.text
    assert alert.payload()["text"] == alert.text
    json.dumps(alert.payload())


def test_units_of_a_mapped_task_are_told_once_each():
    from pipeline.orchestration import alerts

    states = {
        "run_algorithms_0": "failed",
        "run_algorithms_1": "success",
        "run_algorithms_12": "failed",
    }
    causes = {"run_algorithms": ["disk full", "disk full", None]}
    alert = alerts.of_failure(failure(states, causes))
    assert (alert.tasks, alert.cause) == (("run_algorithms",), "disk full")
    assert alert.log_url.endswith("/tasks/run_algorithms/mapped")


def test_a_run_that_did_not_begin_has_no_name_in_the_tables():
    from pipeline.orchestration import alerts

    states = {"begin": "failed", "conclude": "failed"}
    alert = alerts.of_failure(failure(states, {"begin": ["partitions is 0: must be 1 or more"]}))
    assert (alert.run_id, alert.tasks) == (None, ("begin",))
    assert "run scheduled__1" in alert.subject


def test_a_task_that_was_killed_is_named_all_the_same():
    from pipeline.orchestration import alerts

    alert = alerts.of_failure(failure({"check_assignments": "failed", "conclude": "failed"}))
    assert alert.tasks == ("check_assignments",)
    assert "task_failure" in alert.cause


def test_an_end_that_fails_by_itself_is_named():
    from pipeline.orchestration import alerts

    alert = alerts.of_failure(
        failure({"conclude": "failed"}, {"conclude": ["conclude: disk full"]})
    )
    assert (alert.tasks, alert.cause) == (("conclude",), "conclude: disk full")


def test_airflow_may_know_next_to_nothing():
    from pipeline.orchestration import alerts

    context = {"dag": SimpleNamespace(dag_id="nightly", task_ids=TASKS), "run_id": "scheduled__1"}
    alert = alerts.of_failure({**context, "reason": "all_tasks_deadlocked"})
    assert (alert.tasks, alert.run_id) == ((), None)
    assert "all_tasks_deadlocked" in alert.cause
    assert alert.log_url.endswith("/runs/scheduled__1")


def test_with_another_airflow_a_cause_stays_in_the_log(monkeypatch):
    """Secrets that cannot be hidden must not leave the machine."""
    from pipeline.base.process import tried_versions
    from pipeline.orchestration import alerts

    monkeypatch.setattr(tried_versions, "version", lambda package: "99.0")
    tried_versions.is_tried.cache_clear()
    try:
        assert alerts.of_failure(TRACK).cause == "see the task's log"
    finally:
        tried_versions.is_tried.cache_clear()


def test_a_cause_is_not_endless():
    from pipeline.orchestration import alerts

    alert = alerts.of_failure(failure({"track": "failed"}, {"track": ["x" * 10_000]}))
    assert len(alert.cause) == alerts.MAX_CAUSE


def test_a_run_that_is_late_is_told_while_it_is_under_way():
    from pipeline.orchestration import alerts

    alert = alerts.of_miss(miss())
    assert "nightly is late" in alert.subject
    assert "still running" in alert.cause
    assert str(MOMENT) in alert.cause
    assert alert.run_id == alerts.of_failure(TRACK).run_id
    assert alerts.of_miss(miss(conf={"run_id": "mine"})).run_id == "mine"
    # Airflow keeps the deadlines of runs that failed.
    assert alerts.of_miss(miss("failed")) is None
    assert alerts.of_miss(miss("success")) is None


def test_without_the_connection_nobody_is_told_and_nothing_fails(connect, notifier, caplog):
    with caplog.at_level(logging.WARNING):
        notifier.notify(TRACK)
        asyncio.run(notifier.async_notify(miss()))
    assert caplog.text == ""


def test_a_webhook_gets_one_message(connect, notifier):
    with servers.webhook() as hook:
        connect(hook.url)
        notifier(TRACK)
    (post,) = hook.posts
    assert post.path == "/services/T0/secret-part"
    assert post.content["event"] == "failed"
    assert post.content["tasks"] == ["track"]
    assert "Authorization" not in post.headers


def test_a_late_run_is_told_from_airflows_triggerer(connect, notifier):
    from pipeline.orchestration import alerts

    async def call(context):
        # As Airflow's triggerer does it.
        await alerts.AlertNotifier(context=context)

    with servers.webhook() as hook:
        connect(conn_type="generic", host=hook.url, password="token-7")
        asyncio.run(call(miss()))
        asyncio.run(call(miss("failed")))
    (post,) = hook.posts
    assert post.content["event"] == "late"
    assert post.headers["Authorization"] == "Bearer token-7"


def test_a_webhook_that_stumbles_is_tried_again(connect, notifier):
    with servers.webhook(503, 503, 200) as hook:
        connect(hook.url)
        notifier.notify(TRACK)
    assert len(hook.posts) == 3


@pytest.mark.parametrize("status", [404, 307])
def test_a_webhook_that_refuses_fails_nothing(connect, notifier, caplog, status):
    with servers.webhook(status) as hook:
        connect(conn_type="generic", host=hook.url, password="token-7")
        notifier.notify(TRACK)
    assert len(hook.posts) == 1
    assert re.search(rf"no alert sent: .*\b{status}\b", caplog.text)
    assert "secret-part" not in caplog.text
    assert "token-7" not in caplog.text


def test_a_webhook_that_is_not_there_fails_nothing(connect, notifier, caplog):
    with servers.webhook() as hook:
        url = hook.url
    connect(url)
    notifier.notify(TRACK)
    assert "no alert sent: URLError" in caplog.text
    assert "secret-part" not in caplog.text


@pytest.mark.parametrize("host", ["file:///etc/passwd", "ftp://127.0.0.1/x", ""])
def test_only_the_web_is_posted_to(connect, notifier, caplog, host):
    connect(conn_type="generic", host=host)
    notifier.notify(TRACK)
    assert "webhook URL" in caplog.text


def mail_server(box, **extra):
    plain = {"disable_ssl": True, "disable_tls": True, "from_email": "bench@example.com"}
    return {
        "conn_type": "smtp",
        "host": "127.0.0.1",
        "port": box.port,
        "extra": {**plain, **extra},
    }


@pytest.mark.parametrize("event", ["failed", "late"])
def test_a_mail_server_gets_a_mail(connect, notifier, event):
    with servers.mailbox() as box:
        connect(**mail_server(box, to="ops@example.com"))
        # Quotes in a cause are neither templates nor markup.
        cause = {"track": ["{{ 7 * 7 }} <b>bold</b>"]}
        if event == "failed":
            notifier.notify({**TRACK, "ti": Task({"track": "failed"}, cause)})
        else:
            asyncio.run(notifier.async_notify(miss()))
    (mail,) = box.mails
    read = email.message_from_string(mail)
    assert read["To"] == "ops@example.com"
    assert read["Subject"].startswith("Groupscale: nightly")
    body = read.get_payload()[0].get_payload(decode=True).decode()
    if event == "failed":
        assert "{{ 7 * 7 }} &lt;b&gt;bold" in body


def test_a_mail_to_nobody_is_a_line_in_the_log(connect, notifier, caplog):
    with servers.mailbox() as box:
        connect(**mail_server(box))
        notifier.notify(TRACK)
    assert box.mails == []
    assert "from_email" in caplog.text
