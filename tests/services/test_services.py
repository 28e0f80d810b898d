"""`make up`'s services: they run the pipeline, are local only, and leave nothing behind.

The tests build on each other, since starting everything takes minutes on a busy machine.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
import pytest

from pipeline.base.process import process_table
from pipeline.orchestration import pool
from pipeline.warehouse.spark import remote_session
from tests import guides, servers
from tests.services import other_sites
from tests.services.inspection import (
    OPERATORS_SECRET,
    at_work,
    complaints,
    connect,
    is_in_a_query,
    java_of,
    nights,
    of_this_installation,
    readable_files,
    rows_of_airflow,
    secrets_of,
    tasks_of,
    told_in,
)
from tests.services.installation import Installation, installed, wait_for
from tools.console import SetupError
from tools.services import lifecycle, parsed_dags, port_checks, processes, records
from tools.services.service_topology import BY_NAME, SERVICES

pytestmark = [pytest.mark.services, pytest.mark.slow]

RUN = "under-services"
PATIENCE = 1800.0
A_NIGHT = 3 * PATIENCE
"""A night has some forty tasks; this allows for a busy machine."""
EVERY_MINUTE = "* * * * *"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    ours = tmp_path_factory.mktemp("ours")
    (ours / "digest.py").write_text(guides.python("nightly.md"))
    local = "airflow.dag_processing.bundles.local.LocalDagBundle"
    bundles = [
        {"name": "dags-folder", "classpath": local, "kwargs": {}},
        {"name": "ours", "classpath": local, "kwargs": {"path": str(ours)}},
    ]
    settings = {
        "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps(bundles),
        "GROUPSCALE_NIGHTLY_SCHEDULE": EVERY_MINUTE,
        "GROUPSCALE_NIGHTLY_PRESET": "smoke",
        "no_proxy": "127.0.0.1",
        "GROUPSCALE_SPARK_CONF": json.dumps({"spark.hadoop.fs.s3a.secret.key": OPERATORS_SECRET}),
    }
    with installed(settings) as installation:
        yield installation


def test_all_services_are_healthy(made: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    assert lifecycle.status(made.layout)
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == [service.name for service in SERVICES]


def test_starting_again_is_harmless(made: Installation) -> None:
    before = records.load(made.layout)
    made.up()
    assert records.load(made.layout) == before


def test_nothing_listens_beyond_this_machine(made: Installation) -> None:
    assert made.listening_elsewhere() == set()
    pids = {process.pid for process in made.processes()}
    listening = {
        connection.laddr.port
        for connection in psutil.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN and connection.pid in pids
    }
    assert set(port_checks.wanted().values()) <= listening


def test_who_has_no_password_gets_nothing(made: Installation) -> None:
    from urllib.error import HTTPError

    from tests.services.installation import ask

    base = f"http://127.0.0.1:{made.port('AIRFLOW__API__PORT')}"
    for login in ({"username": "admin", "password": "admin"}, {}):
        with pytest.raises(HTTPError, match=r"401|422"):
            ask(f"{base}/auth/token", login)
    with pytest.raises(HTTPError, match="401"):
        ask(f"{base}/api/v2/dags", None)
    refused = connect(made, "airflow", "wrong")
    assert "password authentication failed" in refused
    # Each role has its own database and no other.
    password = made.secrets()["postgres-mlflow"]
    assert connect(made, "mlflow", password) == ""
    for database in ("airflow", "postgres"):
        assert "permission denied" in connect(made, "mlflow", password, database)


@pytest.mark.parametrize(
    ("password", "status"), [("", "401"), ("password1234", "401"), (None, "403")]
)
@pytest.mark.parametrize("location", ["/root", "file:///root", "s3://bucket/x"])
def test_nobody_gets_at_files_through_mlflow(
    made: Installation, password: str | None, status: str, location: str
) -> None:
    from urllib.error import HTTPError

    asked = {"name": "theirs", "artifact_location": location}
    with pytest.raises(HTTPError, match=status):
        made.mlflow("experiments/create", asked, password)
    experiments = made.mlflow("experiments/search", {"max_results": 100})["experiments"]
    assert "theirs" not in [home["name"] for home in experiments]


def test_mlflow_s_password_is_known_to_the_tasks_alone(made: Installation) -> None:
    password = made.secrets()["mlflow-admin"].encode()
    knows = set()
    for name, record in records.load(made.layout).items():
        for process in processes.family(record.leader, process_table.everything()):
            with suppress(OSError):
                if password in (Path("/proc") / str(process.pid) / "environ").read_bytes():
                    knows.add(name)
    assert knows == {"airflow-scheduler"}


def test_the_command_line_tracks_to_this_mlflow_with_its_password(
    made: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = f"http://127.0.0.1:{made.port('MLFLOW_PORT')}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    assert "Default" in made.tools_exec("mlflow", "experiments", "search")
    # An exported address changes nothing in what runs.
    made.up()


def test_pages_of_other_sites_get_nothing(made: Installation) -> None:
    made.airflow("version")
    airflow = f"http://127.0.0.1:{made.port('AIRFLOW__API__PORT')}"
    other_sites.check_airflow(airflow, made.token)
    mlflow = f"http://127.0.0.1:{made.port('MLFLOW_PORT')}"
    search = f"{mlflow}/api/2.0/mlflow/experiments/search"
    assert other_sites.rebound(f"{mlflow}/").status in other_sites.REFUSED
    for asked in (other_sites.rebound, other_sites.elsewhere):
        assert asked(search, {"max_results": 1}).status in other_sites.REFUSED


@pytest.mark.parametrize(("token", "expected"), [("", 1), ("wrong", 1), (None, 0)])
def test_spark_answers_only_with_its_token(
    made: Installation, token: str | None, expected: int
) -> None:
    query = "from pipeline.warehouse.spark import session; print(session.get().range(3).count())"
    secret = made.secrets()["spark-connect"] if token is None else token
    env = os.environ | {
        remote_session.REMOTE: f"sc://127.0.0.1:{made.port('GROUPSCALE_CONNECT_PORT')}",
        remote_session.TOKEN: secret,
    }
    done = subprocess.run(
        [str(made.layout.python), "-c", query],
        env=env,
        cwd=made.layout.root,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == expected
    assert ("UNAUTHENTICATED" in done.stderr) == bool(expected)
    assert (done.stdout == "3\n") != bool(expected)


def test_a_dag_of_somebody_else_can_be_switched_on(made: Installation) -> None:
    def is_known() -> bool:
        return "digest" in [dag["dag_id"] for dag in made.airflow("dags")["dags"]]

    wait_for(is_known, PATIENCE)
    made.tools_exec("airflow", "dags", "unpause", "digest")
    assert made.airflow("dags/digest/dagRuns")["dag_runs"] == []


def test_a_run_goes_through_all_of_them(made: Installation) -> None:
    asked = {"logical_date": None, "conf": {"preset": "smoke", "run_id": RUN}}
    name = made.airflow("dags/benchmark/dagRuns", asked)["dag_run_id"]
    elsewhere, machines = set(), set()

    def ended() -> str | None:
        elsewhere.update(made.listening_elsewhere())
        machines.update(service for service in BY_NAME if java_of(made, service))
        state = made.airflow(f"dags/benchmark/dagRuns/{name}")["state"]
        return state if state in ("success", "failed") else None

    assert wait_for(ended, PATIENCE) == "success"
    # Not even tasks did, which come and go; and none of them started a JVM.
    assert elsewhere == set()
    assert machines == {"spark-connect"}
    assert complaints(made, "benchmark", name) == []
    said = made.groupscale("sql", "--format", "json", "SELECT DISTINCT run_id FROM scores")
    assert json.loads(said) == [{"run_id": RUN}]


def test_the_dag_of_somebody_else_has_heard_of_it(made: Installation) -> None:
    def ended() -> str | None:
        runs = made.airflow("dags/digest/dagRuns")["dag_runs"]
        done = [run for run in runs if run["state"] in ("success", "failed")]
        return f"{done[0]['state']} {done[0]['dag_run_id']}" if done else None

    state, _, name = str(wait_for(ended, PATIENCE)).partition(" ")
    assert state == "success"
    log = json.dumps(made.airflow(f"dags/digest/dagRuns/{quote(name)}/taskInstances/read/logs/1"))
    assert f"'run_id': '{RUN}'" in log
    assert "'preset': 'smoke'" in log
    assert made.airflow("dags/digest/dagRuns")["total_entries"] == 1


def test_its_tracking_and_artifacts_are_at_the_server(made: Installation) -> None:
    experiments = made.mlflow("experiments/search", {"max_results": 100})["experiments"]
    homes = {home["name"]: home for home in experiments}
    home = homes["groupscale/smoke"]
    assert home["artifact_location"].startswith("mlflow-artifacts:/")
    asked = {"experiment_ids": [home["experiment_id"]], "max_results": 1000}
    runs = made.mlflow("runs/search", asked)["runs"]
    tags = [{tag["key"]: tag["value"] for tag in run["data"]["tags"]} for run in runs]
    parents = [tag for tag in tags if "mlflow.parentRunId" not in tag]
    assert len(parents) == 1
    assert len(runs) > len(parents)
    assert RUN in parents[0].values()
    assert list((made.layout.services / "mlflow" / "artifacts").rglob("report.html"))


def test_the_documented_command_makes_alerts_reach_somebody(made: Installation) -> None:
    with servers.webhook() as hook:
        connection = ("--conn-type", "generic", "--conn-host", hook.url)
        made.tools_exec("airflow", "connections", "add", "groupscale_alerts", *connection)
        asked = {"logical_date": None, "conf": {"set": ["capacity=-1"]}}
        name = made.airflow("dags/benchmark/dagRuns", asked)["dag_run_id"]
        wait_for(lambda: hook.posts, PATIENCE)
        (message,) = (post.content for post in hook.posts)
    assert (message["event"], message["dag_run_id"], message["tasks"]) == (
        "failed",
        name,
        ["begin"],
    )
    made.tools_exec("airflow", "connections", "delete", "groupscale_alerts")


def test_no_secret_is_in_a_table(made: Installation) -> None:
    """As analysts read them: files are compressed."""
    secrets = secrets_of(made)
    with made.tables() as tables:
        names = {name for (name,) in tables.sql("SHOW TABLES").fetchall()}
        assert {"runs", "scores", "validations"} <= names
        for name in names:
            rows = str(tables.sql(f"SELECT t::VARCHAR FROM {name} t").fetchall())
            assert told_in(rows, secrets) == [], name


def test_no_secret_is_in_mlflow(made: Installation) -> None:
    experiments = made.mlflow("experiments/search", {"max_results": 100})["experiments"]
    ids = [home["experiment_id"] for home in experiments]
    runs = made.mlflow("runs/search", {"experiment_ids": ids, "max_results": 1000})["runs"]
    assert any(run["data"].get("params") and run["data"].get("tags") for run in runs)
    assert told_in(json.dumps([experiments, runs]), secrets_of(made)) == []


def test_no_secret_is_in_what_tasks_hand_on(made: Installation) -> None:
    for table in ("xcom", "dag_run", "rendered_task_instance_fields", "log"):
        rows = rows_of_airflow(made, table)
        assert rows or table == "rendered_task_instance_fields"
        assert told_in(rows, secrets_of(made)) == [], table


def test_no_secret_is_in_a_log_a_report_or_on_a_command_line(made: Installation) -> None:
    secrets = secrets_of(made)
    for file in readable_files(made):
        assert told_in(file.read_text(errors="replace"), secrets) == [], file
    for process in psutil.process_iter():
        try:
            line = " ".join(process.cmdline())
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
        assert told_in(line, secrets) == [], line


def test_the_nightly_dag_runs_on_its_schedule(made: Installation) -> None:
    assert made.airflow("dags/nightly")["is_paused"]
    made.tools_exec("airflow", "dags", "unpause", "nightly")
    wait_for(lambda: at_work(made), PATIENCE)
    # No storm of those that were missed, and one at a time.
    states = [run["state"] for run in made.airflow("dags/nightly/dagRuns")["dag_runs"]]
    assert states.count("running") == 1
    assert len(states) <= 2


def test_a_run_on_demand_gets_its_turn_during_the_night(made: Installation) -> None:
    asked = {"logical_date": None, "conf": {"set": ["capacity=-1"]}}
    name = made.airflow("dags/benchmark/dagRuns", asked)["dag_run_id"]
    slots = set()

    def ended() -> bool:
        slots.add(made.airflow(f"pools/{pool.NAME}")["running_slots"])
        return bool(made.airflow(f"dags/benchmark/dagRuns/{name}")["state"] == "failed")

    wait_for(ended, PATIENCE)
    # It has begun, and has said what is wrong with its parameters.
    begun = made.airflow(f"dags/benchmark/dagRuns/{name}/taskInstances/begin")
    assert (begun["state"], begun["try_number"], begun["pool"]) == ("failed", 1, pool.NAME)
    assert slots <= {0, 1}
    assert nights(made)[0]["state"] == "running"


def test_a_scheduled_night_outlives_the_server_of_spark(made: Installation) -> None:
    """It is killed in the middle and starts again by itself; the failed task is retried."""
    name = nights(made)[0]["dag_run_id"]
    wait_for(lambda: is_in_a_query(made, "nightly", name), PATIENCE, every=0.1)
    (java,) = java_of(made, "spark-connect")
    os.kill(java, signal.SIGKILL)

    def ended() -> str | None:
        states = [run["state"] for run in nights(made)]
        assert states.count("running") <= 1
        return states[0] if states[0] in ("success", "failed") else None

    state = wait_for(ended, A_NIGHT)
    tasks = tasks_of(made, "nightly", name)
    assert state == "success", tasks
    last = {name: tasks[name] for name in ("conclude", "gate", "compact", "retain")}
    assert last == dict.fromkeys(last, "success")
    retried = made.airflow(f"dags/nightly/dagRuns/{quote(name)}/taskInstances?limit=200")
    assert {t["try_number"] for t in retried["task_instances"]} > {1}
    assert any("Spark's process has ended" in line for line in complaints(made, "nightly", name))


def test_its_tables_are_those_of_the_other_run(made: Installation) -> None:
    def rows(where: str) -> list[tuple[Any, ...]]:
        columns = "stream_id, algorithm, cbs, mean_rscore, mean_migrations"
        query = f"SELECT {columns} FROM scores WHERE run_id {where} ORDER BY ALL"
        with made.tables() as tables:
            return tables.sql(query).fetchall()

    assert rows(f"= '{RUN}'") == rows(f"<> '{RUN}'") != []


def test_down_leaves_nothing_and_takes_nothing_else_along(made: Installation) -> None:
    """While the next night, which has begun by itself, is running."""
    wait_for(lambda: at_work(made), PATIENCE)
    other = subprocess.Popen(["sleep", "600"], start_new_session=True, cwd=made.folder)
    try:
        before = made.processes()
        assert len(before) > len(SERVICES)
        lifecycle.down(made.layout)
        seen = process_table.everything()
        left = [p for p in before if p.pid in seen and seen[p.pid].started == p.started]
        assert left == []
        assert [pid for pid in seen if pid != other.pid and of_this_installation(pid, made)] == []
        port_checks.check_free([service.name for service in SERVICES], port_checks.wanted())
        assert other.poll() is None
        assert records.load(made.layout) == {}
    finally:
        other.kill()
        other.wait()


def test_a_mistyped_schedule_fails_the_start_and_is_named(
    made: Installation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Airflow has read the DAG before, and all services keep running."""
    monkeypatch.setattr(parsed_dags, "PATIENCE_SECONDS", 30.0)
    monkeypatch.setenv("GROUPSCALE_NIGHTLY_SCHEDULE", "0 25 * * *")
    with pytest.raises(SetupError, match=r"Airflow has not read .*nightly \("):
        made.up()
    said = "'0 25 * * *'"
    wait_for(lambda: said in parsed_dags.unread(made.layout).get("nightly", ""), PATIENCE)
    capsys.readouterr()
    assert not lifecycle.status(made.layout)
    shown = capsys.readouterr()
    assert "DAG nightly" in shown.out
    assert said in shown.err


def test_what_was_there_is_there_again(made: Installation) -> None:
    runs = made.airflow("dags/benchmark/dagRuns")["dag_runs"]
    assert sorted(run["state"] for run in runs) == ["failed", "failed", "success"]
    assert (made.layout.services / "secrets.json").exists()
