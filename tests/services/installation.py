"""Everything that `make up` starts, on free ports and in a folder of its own."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pytest

from pipeline.base import paths
from pipeline.base.process import process_table
from pipeline.warehouse.storage import sql
from tools import environment
from tools.layout import Layout, here
from tools.services import (
    command_environment,
    lifecycle,
    parsed_dags,
    port_checks,
    processes,
    records,
)
from tools.services.processes import Process

HERE = ("127.0.0.1", "::1", "::ffff:127.0.0.1")
START_SECONDS = 900.0
OPERATORS = ("AIRFLOW", "MLFLOW", "GROUPSCALE_", "PG")
"""Beginnings of variables with which an operator's own installation could be met."""


class Installation:
    """A running installation, asked as its users would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.layout = Layout(here().root, folder / "state")
        self.warehouse = folder / "warehouse"
        self.token = ""

    def up(self) -> None:
        """Start what does not run."""
        lifecycle.up(self.layout, environment.variables(self.layout))

    def secrets(self) -> dict[str, str]:
        """Passwords and keys by name."""
        secrets: dict[str, str] = json.loads((self.layout.services / "secrets.json").read_text())
        return secrets | {"airflow-jwt": (self.layout.airflow / "jwt-secret").read_text()}

    def port(self, variable: str) -> int:
        """A port, by its variable."""
        return port_checks.wanted()[variable]

    def airflow(self, path: str, content: object = None, method: str | None = None) -> Any:
        """What Airflow's REST interface answers to the administrator."""
        base = f"http://127.0.0.1:{self.port('AIRFLOW__API__PORT')}"
        if not self.token:
            login = {"username": "admin", "password": self.secrets()["airflow-admin"]}
            self.token = ask(f"{base}/auth/token", login)["access_token"]
        return ask(f"{base}/api/v2/{path}", content, method, f"Bearer {self.token}")

    def mlflow(self, path: str, content: object, password: str | None = None) -> Any:
        """What MLflow's REST interface answers to the administrator, or to another password."""
        page = f"http://127.0.0.1:{self.port('MLFLOW_PORT')}/api/2.0/mlflow/{path}"
        admin_password = self.secrets()["mlflow-admin"] if password is None else password
        login = base64.b64encode(f"admin:{admin_password}".encode()).decode()
        return ask(page, content, authorization=f"Basic {login}" if admin_password else "")

    def groupscale(self, *words: str) -> str:
        """What the command line says."""
        program = [str(self.layout.python), "-m", "pipeline.cli.app", *words]
        env = os.environ | {"GROUPSCALE_WAREHOUSE": str(self.warehouse)}
        return subprocess.run(
            program, env=env, cwd=self.layout.root, capture_output=True, text=True, check=True
        ).stdout

    def tools_exec(self, program: str, *words: str) -> str:
        """What ``python3 -m tools exec`` says, once set-up is done."""
        env = command_environment.environment(
            self.layout, environment.variables(self.layout), program
        )
        command = [str(self.layout.venv / "bin" / program), *words]
        return subprocess.run(
            command, env=env, cwd=self.layout.root, capture_output=True, text=True, check=True
        ).stdout

    def tables(self) -> duckdb.DuckDBPyConnection:
        """Tables and views of the warehouse, as analysts query them."""
        return sql.connect(paths.Paths(self.warehouse))

    def processes(self) -> list[Process]:
        """Processes of all services, with those that they have started."""
        seen = process_table.everything()
        listed = records.load(self.layout).values()
        return [process for record in listed for process in processes.family(record.leader, seen)]

    def listening_elsewhere(self) -> set[str]:
        """Addresses beyond this machine that any of the processes listens on, with its id."""
        pids = {process.pid for process in self.processes()}
        return {
            f"{connection.laddr.ip}:{connection.laddr.port} of process {connection.pid}"
            for connection in psutil.net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
            and connection.pid in pids
            and connection.laddr.ip not in HERE
        }


def ask(page: str, content: object, method: str | None = None, authorization: str = "") -> Any:
    """Send or request JSON, and return the response."""
    headers = {"Content-Type": "application/json"}
    if authorization:
        headers["Authorization"] = authorization
    data = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(page, data, headers, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=60) as response:
        return json.loads(response.read())


def wait_for(condition: Callable[[], Any], seconds: float, every: float = 1.0) -> Any:
    """Wait for something that is true, and return it."""
    until = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < until, f"not in {seconds} s"
        time.sleep(every)
    return answer


@contextmanager
def installed(settings: dict[str, str]) -> Iterator[Installation]:
    """An installation that is up; it is taken down, and its folder removed, at the end."""
    # Not below pytest's own folder: PostgreSQL's user has no way into that of root.
    folder = Path(tempfile.mkdtemp(prefix="groupscale-services-"))
    folder.chmod(0o755)
    made = Installation(folder)
    with pytest.MonkeyPatch.context() as patch:
        for name in [n for n in os.environ if n.startswith(OPERATORS)]:
            patch.delenv(name)
        for variable, number in zip(
            port_checks.wanted(), _free(len(port_checks.wanted())), strict=True
        ):
            patch.setenv(variable, str(number))
        for name, value in {"GROUPSCALE_WAREHOUSE": str(made.warehouse), **settings}.items():
            patch.setenv(name, value)
        patch.setattr(lifecycle, "PATIENCE_SECONDS", START_SECONDS)
        patch.setattr(parsed_dags, "PATIENCE_SECONDS", START_SECONDS)
        try:
            made.up()
            yield made
        finally:
            lifecycle.down(made.layout)
            shutil.rmtree(folder)


def _free(count: int) -> list[int]:
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    numbers = [int(one.getsockname()[1]) for one in held]
    for one in held:
        one.close()
    return numbers
