"""What tasks do with the run they belong to, and how they report failures."""

import re
import traceback
from types import SimpleNamespace

import pytest

from pipeline.base.errors import InputError, StageError, ValidationFailed
from tests.dags.conftest import PARAMS

pytestmark = pytest.mark.airflow


def fail(error):
    from pipeline.orchestration import dag_run

    with dag_run.task_step("score"):
        raise error


@pytest.mark.parametrize("error", [StageError("score: disk full"), RuntimeError("disk full")])
def test_an_error_of_a_scheduled_run_is_tried_again(context, error):
    with pytest.raises(type(error)):
        fail(error)
    assert "disk full" in context["ti"].xcoms["cause"]
    assert "score" in context["ti"].xcoms["cause"]
    assert "failed" in context["terminal"].getvalue()


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InputError("partitions is 0: must be 1 or more"), 2),
        (ValidationFailed("scores", ["cbs_not_negative"]), 1),
        (StageError("score: disk full"), 1),
    ],
)
def test_an_error_of_an_attended_run_is_told_at_once(context, outcome, error, status):
    from airflow.sdk.exceptions import AirflowFailException

    with pytest.raises(AirflowFailException, match=re.escape(str(error))):
        fail(error)
    assert outcome() == {"status": status, "message": str(error)}


URI = "http://me:pass-word@tracker:5000"


def chained():
    """An error of MLflow's client, with the address, as the cause of the reported one."""
    try:
        raise ConnectionError(f"no answer from {URI}/api")
    except ConnectionError as error:
        raise StageError("track: MLflow at http://tracker:5000 does not answer") from error


def shown(error):
    """All that is logged of an error: its causes included."""
    return "".join(traceback.format_exception(error))


@pytest.mark.parametrize("attended", [False, True])
def test_a_password_behind_an_error_is_not_logged(context, monkeypatch, tmp_path, caplog, attended):
    from pipeline.orchestration import dag_run

    if attended:
        monkeypatch.setenv("GROUPSCALE_OUTCOME", str(tmp_path / "outcome.json"))
    with pytest.raises(Exception, match="does not answer") as caught, dag_run.task_step("track"):
        chained()
    # Its cause is in the log.
    assert "no answer from http://tracker:5000/api" in caplog.text
    assert "pass-word" not in shown(caught.value) + caplog.text


def test_a_password_in_an_error_is_not_logged(context, caplog):
    with pytest.raises(StageError) as caught:
        fail(RuntimeError(f"no answer from {URI}"))
    message = shown(caught.value) + caplog.text + context["ti"].xcoms["cause"]
    assert "no answer from http://tracker:5000" in message
    assert "pass-word" not in message


def test_airflow_hides_the_passwords_of_addresses(monkeypatch):
    from airflow.sdk.log import redact

    from pipeline.orchestration import dag_run

    monkeypatch.setenv("MLFLOW_TRACKING_URI", URI)
    monkeypatch.setenv("GROUPSCALE_TABLES", "s3a://key:se%2Fcret@bucket")
    monkeypatch.setenv("MLFLOW_TRACKING_PASSWORD", "of-the-tasks")
    monkeypatch.setattr(dag_run, "use_connection", lambda: None)
    dag_run.prepare()
    shown = redact(f"{URI} se%2Fcret se/cret of-the-tasks")
    assert shown == "http://me:***@tracker:5000 *** *** ***"


def test_a_task_that_took_too_long_says_so_and_is_tried_again(context):
    from airflow.sdk.exceptions import AirflowTaskTimeout

    with pytest.raises(AirflowTaskTimeout):
        fail(AirflowTaskTimeout("Timeout, PID: 7"))
    assert context["ti"].xcoms["cause"].startswith("score: ")
    assert "GROUPSCALE_TIME_LIMIT_FACTOR" in context["ti"].xcoms["cause"]


def test_a_task_of_an_attended_run_that_took_too_long_ends_it(context, outcome):
    from airflow.sdk.exceptions import AirflowFailException, AirflowTaskTimeout

    with pytest.raises(AirflowFailException, match="GROUPSCALE_TIME_LIMIT_FACTOR"):
        fail(AirflowTaskTimeout("Timeout, PID: 7"))
    assert outcome()["status"] == 1


def test_in_one_process_causes_are_known_without_airflow(context):
    from pipeline.orchestration import dag_run

    callback = {"dag": context["dag"], "run_id": "manual__1"}
    with pytest.raises(StageError):
        fail(StageError("score: disk full"))
    assert dag_run.causes(callback) == {"conclude": "score: disk full"}
    # What was tried again with success has not failed.
    with dag_run.task_step("score"):
        pass
    assert dag_run.causes(callback) == {}


@pytest.mark.parametrize("error", [InputError("bad"), ValidationFailed("scores", ["rule"])])
def test_what_would_fail_again_is_not_tried_again(context, error):
    from airflow.sdk.exceptions import AirflowFailException

    with pytest.raises(AirflowFailException):
        fail(error)


def test_a_step_keeps_its_number_when_it_is_tried_again(context):
    from pipeline.orchestration import dag_run

    for label in ("begin", "score", "score", "report"):
        with dag_run.task_step(label):
            pass
    numbers = [line.split("]")[0] for line in context["terminal"].getvalue().splitlines()]
    assert numbers == ["[ 1", "[ 2", "[ 2", "[ 3"]


def test_the_run_id_is_the_one_asked_for_or_follows_from_the_dag_run(context):
    from pipeline.base import paths
    from pipeline.orchestration import dag_run

    first = dag_run.new_run_id()
    assert first.startswith("20260102T030405Z-")
    assert paths.check_run_id(first) == first
    assert dag_run.new_run_id() == first
    context["dag_run"].run_id = "manual__2"
    assert dag_run.new_run_id() != first
    context["params"]["run_id"] = "mine"
    assert dag_run.new_run_id() == "mine"


def test_failures_are_the_causes_once_each(context):
    from pipeline.orchestration import dag_run

    context["ti"].states = {"score": "success", "check_pareto": "skipped"}
    assert dag_run.failures() is None
    context["ti"].states["track"] = "failed"
    assert dag_run.failures().endswith(": track")
    context["ti"].xcoms["cause"] = "track: no connection"
    assert dag_run.failures() == "track: no connection"


def test_a_task_that_has_not_run_keeps_the_run_from_being_published(context):
    from pipeline.orchestration import dag_run

    context["ti"].states = {"score": "success", "report": "upstream_failed"}
    assert "report" in dag_run.failures()


def test_a_run_without_failures_is_published_and_shown(context, outcome, runner):
    from pipeline.orchestration import tasks

    context["ti"].xcoms["run_id"] = "r1"
    context["ti"].states = {"report": "success"}
    tasks.conclude()
    assert runner == [None]
    assert outcome() == {"status": 0, "message": "r1"}
    message = context["terminal"].getvalue()
    assert "table of results" in message
    assert "Run r1 is published" in message
    assert "report.html" in message
    events = {asset.name: event.extra for asset, event in context["outlet_events"].items()}
    assert events.keys() >= {"groupscale_scores", "groupscale_runs"}
    assert {extra["run_id"] for extra in events.values()} == {"r1"}


def test_a_published_run_that_cannot_be_shown_is_published(
    context, outcome, runner, monkeypatch, caplog
):
    import pipeline.engine.steps as real
    from pipeline.orchestration import tasks

    def fails(ctx, console):
        raise StageError("gather: no answer")

    monkeypatch.setattr(real, "show", fails)
    context["ti"].xcoms["run_id"] = "r1"
    context["ti"].states = {"report": "success"}
    tasks.conclude()
    assert outcome() == {"status": 0, "message": "r1"}
    assert context["outlet_events"]
    assert "run r1 is published, but" in caplog.text
    assert "gather: no answer" in caplog.text


def test_a_run_with_a_failure_is_marked_and_the_dag_run_fails(context, outcome, runner):
    from airflow.sdk.exceptions import AirflowFailException

    from pipeline.orchestration import tasks

    context["ti"].xcoms |= {"run_id": "r1", "cause": "score: disk full"}
    context["ti"].states = {"score": "failed", "report": "upstream_failed"}
    with pytest.raises(AirflowFailException, match="score: disk full"):
        tasks.conclude()
    assert runner == ["score: disk full"]
    assert outcome()["status"] == 1
    assert "r1 is not published" in outcome()["message"]
    assert not context["outlet_events"]


def test_a_run_that_did_not_begin_has_nothing_to_conclude(context, outcome, runner):
    from airflow.sdk.exceptions import AirflowFailException

    from pipeline.orchestration import tasks

    context["ti"].states = {"begin": "failed"}
    with pytest.raises(AirflowFailException, match="the run did not start"):
        tasks.conclude()
    assert runner == []
    assert outcome() is None


def test_wrong_parameters_write_nothing(context, outcome, tmp_path):
    from airflow.sdk.exceptions import AirflowFailException

    from pipeline.orchestration import tasks

    context["params"]["set"] = ["partitions=0"]
    with pytest.raises(AirflowFailException, match="partitions"):
        tasks.begin("assignment")
    assert outcome()["status"] == 2
    assert not (tmp_path / "warehouse").exists()


def test_a_live_run_that_takes_longer_than_a_task_may_is_refused(context, outcome, tmp_path):
    from airflow.sdk.exceptions import AirflowFailException

    from pipeline.orchestration import tasks

    context["params"] |= {"preset": "live-paper", "set": ["replicates=9"]}
    with pytest.raises(AirflowFailException, match="a task of Airflow may take 240 min "):
        tasks.begin("live")
    assert outcome()["status"] == 2
    assert not (tmp_path / "warehouse").exists()


def test_what_a_run_takes_is_said_before_it_begins(context, outcome, monkeypatch):
    from airflow.sdk.exceptions import AirflowFailException

    from pipeline.engine import steps
    from pipeline.orchestration import tasks

    def begin(*_):
        raise InputError(context["terminal"].getvalue())

    monkeypatch.setattr(steps, "begin", begin)
    context["params"]["preset"] = "live-smoke"
    with pytest.raises(AirflowFailException, match="Note: the run takes about 1 min on the broker"):
        tasks.begin("live")


def test_parameters_mean_what_options_mean():
    from pathlib import Path

    from pipeline.orchestration import tasks
    from pipeline.settings import load

    params = {**PARAMS, "set": ["deltas=5"], "seed": 7}
    expected = load.resolve("smoke", None, ["deltas=5", "seed=7"], [])
    assert tasks.configuration(params) == expected
    # An empty field of the form may be either.
    assert tasks.configuration({**PARAMS, "set": None, "traces": None}) == tasks.configuration(
        PARAMS
    )
    with pytest.raises(InputError, match=r"nowhere\.csv"):
        tasks.configuration({**PARAMS, "traces": [str(Path("/nowhere.csv"))]})


def test_only_an_attended_run_imports_any_module(tmp_path, monkeypatch, outcome):
    """Who may trigger a DAG run must not run code with it."""
    from pipeline.orchestration import dag_run, tasks

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    code = "import numpy\ndef assign(rates):\n    ids = numpy.arange(rates.size)\n"
    code += "    return numpy.where(numpy.isnan(rates), -1, ids)\n"
    (tmp_path / "own_of_airflow.py").write_text(code)
    params = {**PARAMS, "set": ["algorithms=BFD,own_of_airflow:assign"]}
    assert tasks.configuration(params).experiments
    monkeypatch.setattr(dag_run, "is_attended", lambda: False)
    with pytest.raises(InputError, match="Airflow may not import own_of_airflow"):
        tasks.configuration(params)
    monkeypatch.setenv("GROUPSCALE_ALGORITHM_MODULES", "own_of_airflow")
    assert tasks.configuration(params).experiments


SECRET = "Wq8Zr5Lk2Vx9Tn4Bm7Jd"


@pytest.mark.parametrize("parameter", ["config", "traces"])
@pytest.mark.parametrize(
    "text",
    [
        f"root:$6${SECRET}:19000:0:99999:7:::",
        f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----",
        f"password: *{SECRET}",
        f"seed: {SECRET}",
        f"timestamp,partition,rate\n1,a,{SECRET}",
        f'[{{"{SECRET}": "{SECRET}"}}]',
    ],
)
def test_nothing_of_a_file_that_is_no_input_comes_back(
    context, outcome, tmp_path, caplog, text, parameter
):
    """A user who can trigger a DAG can name any file that the service's user can read."""
    from airflow.sdk.exceptions import AirflowFailException

    from pipeline.orchestration import tasks

    file = tmp_path / "other"
    file.write_text(text)
    context["params"][parameter] = [str(file)] if parameter == "traces" else str(file)
    with pytest.raises(AirflowFailException) as caught:
        tasks.begin("assignment")
    assert str(file) in str(caught.value)
    message = shown(caught.value) + caplog.text + context["terminal"].getvalue()
    message += str(context["ti"].xcoms) + str(outcome())
    assert [SECRET[i : i + 12] for i in range(9) if SECRET[i : i + 12] in message] == []
    assert not (tmp_path / "warehouse").exists()


def test_a_stage_that_a_run_does_not_have_does_nothing(context, monkeypatch):
    from pipeline.engine import steps as runner
    from pipeline.orchestration import tasks
    from pipeline.settings import load

    ctx = SimpleNamespace(run_id="r1", config=load.resolve("smoke", None, [], []))
    ran = []
    monkeypatch.setattr(runner, "attach", lambda warehouse, run_id, owner: ctx)
    monkeypatch.setattr(runner, "run_stage", lambda name, ctx, units: ran.append((name, units)))
    tasks.stage("bounds")
    tasks.stage("write_streams")
    tasks.stage("run_algorithms", "tradeoff δ=5")
    assert ran == [
        ("write_streams", None),
        ("run_algorithms", [("tradeoff", 5.0)]),
    ]


def test_tasks_that_are_yet_to_come_have_not_failed(context):
    from pipeline.orchestration import dag_run

    context["later"] |= {"retain"}
    context["ti"].states = {"score": "success", "check_pareto": "skipped", "retain": None}
    assert dag_run.failures() is None
    # A task before this one that has been cleared, say, has not passed.
    context["ti"].states["check_scores"] = None
    assert "check_scores" in dag_run.failures()
