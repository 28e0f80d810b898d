"""The web pages of Airflow and MLflow, on the loopback address."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pipeline.base.text import addresses
from tools.console import SetupError, say, words
from tools.layout import Layout
from tools.services import credentials, health, port_checks
from tools.services.foreground import run_together
from tools.services.service_topology import (
    ADMIN,
    HOST,
    MLFLOW_PORT,
    WITH_USERS,
    WITHOUT_LANGUAGE_MODELS,
)

# `airflow standalone` would also serve logs beyond the loopback address. The pages read the files
# instead, which are on this machine.
AIRFLOW = {
    "airflow-scheduler": ["scheduler", "--skip-serve-logs"],
    "airflow-triggerer": ["triggerer", "--skip-serve-logs"],
    "airflow-dag-processor": ["dag-processor"],
    "airflow-api-server": ["api-server"],
}
SQLITE = "sqlite:///"
PROCESSES = {"scheduler", "triggerer", "dag_processor"}


def airflow(layout: Layout, env: Mapping[str, str]) -> None:
    """Run Airflow's scheduler, DAG processor and web server until interrupted.

    Raises SetupError if the port is taken, an allowed host is not valid, or one of the processes
        ends.
    """
    port = _free_port("airflow", "AIRFLOW__API__PORT", env["AIRFLOW__API__PORT"])
    port_checks.check_hosts(env)
    page = f"http://{HOST}:{port}"
    say(f"Starting Airflow at {page} (about 30 s); press Ctrl-C to stop it")
    commands = {name: words(layout.python, "-m", "airflow", *c) for name, c in AIRFLOW.items()}
    ready = f"Airflow is ready: {page}, user {ADMIN}, password in {layout.airflow_passwords}"
    asked = f"{page}/api/v2/monitor/health"
    run_together(commands, env, layout.logs, lambda: _is_healthy(asked), ready)


def mlflow(layout: Layout, env: Mapping[str, str]) -> None:
    """Run MLflow until interrupted. Raises SetupError if port, database or server fail."""
    port = _free_port("mlflow", "MLFLOW_PORT", env.get("MLFLOW_PORT", str(MLFLOW_PORT)))
    page = f"http://{HOST}:{port}"
    runs = env["MLFLOW_TRACKING_URI"]
    folder = _folder_of(runs)
    say(f"Starting MLflow at {page} (about 10 s); press Ctrl-C to stop it")
    command = words(
        *(layout.python, "-m", "mlflow", "server", "--host", HOST, "--port", str(port)),
        *("--workers", "1", "--backend-store-uri", runs),
        *("--artifacts-destination", folder / "artifacts", *WITH_USERS),
    )
    all_secrets = credentials.ensure(layout)
    users = credentials.for_mlflow(layout, all_secrets, layout.mlflow, _private(layout.mlflow))
    own = {n: v for n, v in env.items() if not n.startswith(("AIRFLOW_", "MLFLOW_TRACKING_"))}
    password = layout.services / credentials.PAGES["MLflow"]
    ready = f"MLflow is ready: {page}, user {ADMIN}, password in {password}"
    run_together(
        {"mlflow": command},
        own | WITHOUT_LANGUAGE_MODELS | users,
        layout.logs,
        lambda: _get(f"{page}/health") is not None,
        ready,
    )


def _folder_of(runs: str) -> Path:
    """Folder of the database of runs, in which the command line also stores artifacts."""
    if not runs.startswith(SQLITE):
        raise SetupError(
            f"`MLFLOW_TRACKING_URI` must be {SQLITE}FILE for `make mlflow` "
            f"(got {addresses.shown(runs)!r}); unset it to see the runs of the command line"
        )
    return Path(runs.removeprefix(SQLITE)).absolute().parent


def _private(folder: Path) -> str:
    """Address of the database of users, a file that only its owner can read."""
    file = folder / "users.db"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    return f"{SQLITE}{file}"


def _free_port(name: str, variable: str, text: str) -> int:
    port = port_checks.parsed(variable, text)
    port_checks.check_one(name, variable, port)
    return port


def _is_healthy(address: str) -> bool:
    """Whether every process of Airflow reports that it is healthy."""
    answer = _get(address)
    if answer is None:
        return False
    report = json.loads(answer)
    return all(report.get(name, {}).get("status") == "healthy" for name in PROCESSES)


def _get(address: str) -> bytes | None:
    """Response of a page of this machine; None without one."""
    try:
        return health.get(address)
    except OSError:
        return None
