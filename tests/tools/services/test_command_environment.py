"""Airflow's commands go to the running Airflow, and print which one that is."""

import os
import subprocess

import pytest

from pipeline.base.process import process_table
from tools import cli, environment
from tools.console import SetupError
from tools.services import command_environment, credentials, port_checks, records
from tools.services.processes import Leader
from tools.services.records import Record
from tools.setup import all_steps

pytestmark = pytest.mark.unit

URI = "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"


@pytest.fixture
def env(layout):
    return environment.variables(layout)


@pytest.fixture
def database(layout):
    """Record of a running database, on a port that is no longer configured."""
    process = subprocess.Popen(["sleep", "60"], start_new_session=True)
    record(layout, "postgres", process, GROUPSCALE_POSTGRES_PORT=15999)
    yield process
    process.kill()
    process.wait()


def record(layout, name, process, **chosen):
    started = process_table.everything()[process.pid].started
    leader = Leader(process.pid, started, process_table.boot(), str(layout.services))
    records.save(layout, Record(name, leader, {**port_checks.wanted(), **chosen}))


HERE = "http://127.0.0.1:5998"


@pytest.fixture
def tracker(layout, database):
    """Record of a tracking server that runs."""
    record(layout, "mlflow", database, MLFLOW_PORT=5998)
    return database


@pytest.mark.parametrize("program", ["groupscale", "mlflow"])
def test_runs_for_the_server_of_make_up_take_its_password(layout, env, tracker, program):
    variables = command_environment.environment(
        layout, env | {"MLFLOW_TRACKING_URI": f"{HERE}/"}, program
    )
    assert variables["MLFLOW_TRACKING_USERNAME"] == "admin"
    assert variables["MLFLOW_TRACKING_PASSWORD"] == credentials.ensure(layout)["mlflow-admin"]


def test_runs_go_to_the_server_of_make_up_while_it_runs(layout, env, tracker):
    variables = command_environment.environment(layout, env, "groupscale")
    assert variables["MLFLOW_TRACKING_URI"] == HERE
    assert variables["MLFLOW_TRACKING_PASSWORD"] == credentials.ensure(layout)["mlflow-admin"]


@pytest.mark.parametrize("uri", ["http://127.0.0.1:5997", "https://mlflow.example"])
def test_no_other_server_gets_the_password(layout, env, tracker, uri):
    mine = env | {"MLFLOW_TRACKING_URI": uri}
    assert command_environment.environment(layout, mine, "groupscale") == mine


def test_what_has_the_port_after_the_server_does_not_get_the_password(layout, env, tracker):
    tracker.kill()
    tracker.wait()
    mine = env | {"MLFLOW_TRACKING_URI": HERE}
    assert command_environment.environment(layout, mine, "groupscale") == mine


def test_another_user_of_the_server_stays_that_user(layout, env, tracker):
    mine = {"MLFLOW_TRACKING_URI": HERE, "MLFLOW_TRACKING_USERNAME": "reader"}
    mine["MLFLOW_TRACKING_PASSWORD"] = "of the reader"
    assert command_environment.environment(layout, env | mine, "groupscale") == env | mine


def test_without_services_it_is_that_of_make_airflow(layout, env, capsys):
    quiet = {"PYTHONWARNINGS": "ignore:Could not import graphviz"}
    assert command_environment.environment(layout, env, "airflow") == env | quiet
    own = env | {"PYTHONWARNINGS": "error"}
    assert command_environment.environment(layout, own, "airflow") == own
    assert "Airflow of `make airflow`" in capsys.readouterr().err


def test_with_services_it_is_theirs(layout, env, database, capsys):
    variables = command_environment.environment(layout, env, "airflow")
    assert variables[URI] == "postgresql+psycopg2://airflow@127.0.0.1:15999/airflow"
    keys = credentials.ensure(layout)
    # What a connection's password is encrypted with.
    assert variables["AIRFLOW__CORE__FERNET_KEY"] == keys["airflow-fernet"]
    assert "15999" in (layout.services / "pgpass").read_text()
    assert capsys.readouterr().err == "using the Airflow of `make up`\n"


def test_tests_and_other_programs_never_find_the_services(layout, env, database, capsys):
    for program in ("python", "groupscale"):
        assert command_environment.environment(layout, env, program) == env
    assert capsys.readouterr().err == ""


def test_where_the_database_has_died_nobody_guesses(layout, env, database):
    database.kill()
    database.wait()
    with pytest.raises(SetupError, match="database of `make up` is not running"):
        command_environment.environment(layout, env, "airflow")


def test_the_command_line_takes_that_environment(layout, env, database, program, monkeypatch):
    program(layout.venv / "bin" / "airflow", "exit 0")
    started = []
    monkeypatch.setattr(cli.layout, "here", lambda: layout)
    monkeypatch.setattr(all_steps, "ensure", lambda place: env)
    monkeypatch.setattr(os, "execve", lambda *arguments: started.append(arguments))
    cli.main(["exec", "airflow", "dags", "unpause", "nightly"])
    ((program, words, variables),) = started
    assert program == layout.venv / "bin" / "airflow"
    assert words[1:] == ["dags", "unpause", "nightly"]
    assert variables[URI].startswith("postgresql")
