"""Helpers that inspect an installation: its databases, secrets, nights and processes."""

from __future__ import annotations

import json
import os
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil

from pipeline.base.process import process_table
from tests.services.installation import Installation
from tools.services import processes, records

OPERATORS_SECRET = "of-an-object-store-4711"
"""A setting of Spark that an operator has made."""


def connect(made: Installation, user: str, password: str, database: str | None = None) -> str:
    """Why PostgreSQL refuses a login with this password, empty if it does not."""
    import psycopg2

    try:
        psycopg2.connect(
            host="127.0.0.1",
            port=made.port("GROUPSCALE_POSTGRES_PORT"),
            user=user,
            password=password,
            dbname=database or user,
        ).close()
    except psycopg2.OperationalError as error:
        return str(error)
    return ""


def rows_of_airflow(made: Installation, table: str) -> str:
    """All rows of a table of Airflow's database as text, a line each."""
    import psycopg2
    from psycopg2 import sql

    connection = psycopg2.connect(
        host="127.0.0.1",
        port=made.port("GROUPSCALE_POSTGRES_PORT"),
        user="airflow",
        password=made.secrets()["postgres-airflow"],
        dbname="airflow",
    )
    with closing(connection), connection.cursor() as cursor:
        cursor.execute(sql.SQL("SELECT t::text FROM {} t").format(sql.Identifier(table)))
        return "\n".join(text for (text,) in cursor.fetchall())


def readable_files(made: Installation) -> list[Path]:
    """Logs, tables, reports and artifacts."""
    artifacts = made.layout.services / "mlflow" / "artifacts"
    folders = (made.layout.logs, made.warehouse, artifacts)
    return [file for folder in folders for file in folder.rglob("*") if file.is_file()]


def secrets_of(made: Installation) -> dict[str, str]:
    """Secrets of the installation, and one that the operator has set for Spark."""
    return made.secrets() | {"operator": OPERATORS_SECRET}


def told_in(text: str, secrets: dict[str, str]) -> list[str]:
    """Names of the secrets that are in a text."""
    return [name for name, secret in secrets.items() if secret in text]


def nights(made: Installation) -> list[dict[str, Any]]:
    """Scheduled runs of the DAG `nightly`, the earliest first."""
    runs = made.airflow("dags/nightly/dagRuns?order_by=run_after")["dag_runs"]
    return [run for run in runs if run["run_type"] == "scheduled"]


def tasks_of(made: Installation, dag: str, name: str) -> dict[str, str]:
    """States of the tasks of a DAG run; of a mapped one, that of its last unit."""
    page = f"dags/{dag}/dagRuns/{quote(name)}/taskInstances?limit=200"
    return {task["task_id"]: task["state"] for task in made.airflow(page)["task_instances"]}


def at_work(made: Installation) -> bool:
    """Whether a night runs that has begun, so that its stages are under way."""
    running = [run["dag_run_id"] for run in nights(made) if run["state"] == "running"]
    return any(tasks_of(made, "nightly", name).get("begin") == "success" for name in running)


def entries(made: Installation, dag: str, name: str, tasks: str = "*") -> list[dict[str, Any]]:
    """Entries in the logs of the tasks of a DAG run."""
    folder = made.layout.logs / "airflow" / f"dag_id={dag}" / f"run_id={name}"
    files = [file for task in folder.glob(f"task_id={tasks}") for file in task.rglob("*.log")]
    # The last line may not be complete yet.
    lines = [line for file in files for line in file.read_text().split("\n")[:-1]]
    return [json.loads(line) for line in lines]


def complaints(made: Installation, dag: str, name: str) -> list[str]:
    """Errors in the logs of the tasks of a DAG run."""
    log_entries = entries(made, dag, name)
    assert len(log_entries) > 100
    return [str(entry) for entry in log_entries if entry["level"] in ("error", "critical")]


def is_in_a_query(made: Installation, dag: str, name: str) -> bool:
    """Whether a stage of a DAG run has a session and works with it."""
    states = tasks_of(made, dag, name)
    stages = [t for t, s in states.items() if s == "running" and not t.startswith("check_")]
    return any(
        "settings of the Spark Connect server" in entries(made, dag, name, stage)[-1]["event"]
        for stage in stages
        if entries(made, dag, name, stage)
    )


def java_of(made: Installation, service: str) -> list[int]:
    """JVMs among the processes of a service."""
    leader = records.load(made.layout)[service].leader
    pids = []
    for process in processes.family(leader, process_table.everything()):
        with suppress(psutil.NoSuchProcess):
            if psutil.Process(process.pid).name() == "java":
                pids.append(process.pid)
    return pids


def of_this_installation(pid: int, made: Installation) -> bool:
    """Whether a process refers to the installation's folder, or works in it."""
    entry = Path("/proc") / str(pid)
    try:
        folder = os.fsencode(made.folder)
        if pid == os.getpid():
            return False
        return folder in (entry / "environ").read_bytes() or (
            entry / "cwd"
        ).readlink().is_relative_to(made.folder)
    except OSError:
        return False
