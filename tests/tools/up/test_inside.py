"""Airflow's commands go to the Airflow that runs, and tell which one that is."""

import os
import subprocess

import pytest

from tools import cli, environment, setup
from tools.console import SetupError
from tools.up import credentials, inside, ports, processes, records
from tools.up.processes import Leader
from tools.up.records import Record

pytestmark = pytest.mark.unit

URI = "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"


@pytest.fixture
def env(layout):
    return environment.variables(layout)


@pytest.fixture
def database(layout):
    """Record of a database that runs, on a port that nobody asks for any more."""
    process = subprocess.Popen(["sleep", "60"], start_new_session=True)
    started = processes.everything()[process.pid].started
    leader = Leader(process.pid, started, processes.boot(), str(layout.services))
    chosen = {**ports.wanted(), "GROUPSCALE_POSTGRES_PORT": 15999}
    records.save(layout, Record("postgres", leader, chosen))
    yield process
    process.kill()
    process.wait()


def test_without_services_it_is_that_of_make_airflow(layout, env, capsys):
    assert inside.environment(layout, env, "airflow") == env
    assert "Airflow of `make airflow`" in capsys.readouterr().err


def test_with_services_it_is_theirs(layout, env, database, capsys):
    found = inside.environment(layout, env, "airflow")
    assert found[URI] == "postgresql+psycopg2://airflow@127.0.0.1:15999/airflow"
    known = credentials.ensure(layout)
    # What a connection's password is encrypted with.
    assert found["AIRFLOW__CORE__FERNET_KEY"] == known["airflow-fernet"]
    assert "15999" in (layout.services / "pgpass").read_text()
    assert capsys.readouterr().err == "Airflow of `make up`\n"


def test_tests_and_other_programs_never_find_the_services(layout, env, database, capsys):
    for program in ("python", "groupscale"):
        assert inside.environment(layout, env, program) == env
    assert capsys.readouterr().err == ""


def test_where_the_database_has_died_nobody_guesses(layout, env, database):
    database.kill()
    database.wait()
    with pytest.raises(SetupError, match="database of `make up` has ended: `make up` starts it"):
        inside.environment(layout, env, "airflow")


def test_the_command_line_takes_that_environment(layout, env, database, program, monkeypatch):
    program(layout.venv / "bin" / "airflow", "exit 0")
    started = []
    monkeypatch.setattr(cli.layout, "here", lambda: layout)
    monkeypatch.setattr(setup, "ensure", lambda place: env)
    monkeypatch.setattr(os, "execve", lambda *arguments: started.append(arguments))
    cli.main(["exec", "airflow", "dags", "unpause", "nightly"])
    ((program, words, given),) = started
    assert program == layout.venv / "bin" / "airflow"
    assert words[1:] == ["dags", "unpause", "nightly"]
    assert given[URI].startswith("postgresql")
