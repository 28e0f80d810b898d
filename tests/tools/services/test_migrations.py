"""The databases get their tables, and Airflow's the pool, whichever way the services start."""

import os
import sqlite3
import subprocess
import sys
from types import SimpleNamespace

import pytest

from pipeline.orchestration import pool
from tools.console import LIMIT_SECONDS
from tools.services import migrations, postgres
from tools.setup import databases

pytestmark = pytest.mark.unit

MAKES_THE_POOL = ("-m", pool.__name__)


@pytest.fixture
def commands(monkeypatch):
    """Commands of the migrations, which do nothing here."""
    calls = []

    def logged(command, env, cwd, log):
        calls.append((env["SERVICE"], *command[1:]))

    monkeypatch.setattr(migrations, "logged", logged)
    return calls


@pytest.fixture
def made(layout, monkeypatch):
    """An installation whose databases exist, without tables."""
    folder = layout.services / "postgres"
    folder.mkdir(parents=True)
    monkeypatch.setattr(postgres, "data_folder", lambda place: folder)
    return SimpleNamespace(layout=layout, environment=lambda service: {"SERVICE": service})


def test_both_databases_are_made_once(made, commands):
    migrations.ensure(made)
    migrations.ensure(made)
    assert ("airflow-api-server", *MAKES_THE_POOL) in commands
    assert sorted(service for service, *_ in commands) == ["airflow-api-server", "mlflow"]


def test_a_database_from_before_there_was_a_pool_gets_it(made, commands):
    pinned = databases.versions(made.layout).splitlines()
    stamp = made.layout.services / "postgres" / "groupscale.tables"
    stamp.write_text("\n".join(line for line in pinned if "pool" not in line))
    migrations.ensure(made)
    assert ("airflow-api-server", *MAKES_THE_POOL) in commands


@pytest.mark.slow
def test_mlflow_makes_its_tables_and_leaves_what_is_there(tmp_path):
    file = tmp_path / "mlflow.db"
    env = {**os.environ, "MLFLOW_BACKEND_STORE_URI": f"sqlite:///{file}"}
    command = [sys.executable, "-c", migrations.MLFLOW]
    schemas = []
    for _ in range(2):
        subprocess.run(command, env=env, check=True, capture_output=True, timeout=LIMIT_SECONDS)
        with sqlite3.connect(file) as database:
            schemas.append(database.execute("SELECT * FROM sqlite_master ORDER BY name").fetchall())
    assert schemas[0] == schemas[1]
    assert {"experiments", "runs", "alembic_version"} <= {row[1] for row in schemas[0]}


def test_a_container_does_the_same(monkeypatch):
    commands = []

    def run(command, env, timeout):
        assert timeout == LIMIT_SECONDS
        commands.append(command)
        return SimpleNamespace(returncode=0)

    monkeypatch.setenv("MLFLOW_DB_PASSWORD", "secret")
    monkeypatch.setattr(migrations.subprocess, "run", run)
    assert migrations.main() == 0
    assert commands[0] == [sys.executable, *MAKES_THE_POOL]
    assert len(commands) == 2
