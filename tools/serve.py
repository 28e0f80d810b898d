"""The web pages of Airflow and MLflow, on the loopback address."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

from tools.console import SetupError, say, words
from tools.environment import MLFLOW_PORT
from tools.layout import Layout

HOST = "127.0.0.1"


def airflow(layout: Layout, env: Mapping[str, str]) -> None:
    """Become Airflow's scheduler, DAG processor and web server, until interrupted.

    Raises
    ------
    SetupError
        If the port is taken.
    """
    port = int(env["AIRFLOW__API__PORT"])
    _check_free(port, "AIRFLOW__API__PORT")
    say(f"Airflow answers at http://{HOST}:{port} in about half a minute; Ctrl-C ends it")
    _become(words(layout.python, "-m", "airflow", "standalone"), env)


def mlflow(layout: Layout, env: Mapping[str, str]) -> None:
    """Become MLflow's web server, until interrupted.

    Raises
    ------
    SetupError
        If the port is taken.
    """
    port = int(env.get("MLFLOW_PORT", str(MLFLOW_PORT)))
    _check_free(port, "MLFLOW_PORT")
    say(f"MLflow answers at http://{HOST}:{port} in a few seconds; Ctrl-C ends it")
    store = ["--backend-store-uri", env["MLFLOW_TRACKING_URI"]]
    artifacts = ["--default-artifact-root", str(layout.mlflow / "artifacts")]
    command = words(layout.python, "-m", "mlflow", "server", "--host", HOST, "--port", str(port))
    # Background jobs are MLflow's evaluation of language models: seven processes for nothing.
    _become([*command, *store, *artifacts], {**env, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"})


def _check_free(port: int, variable: str) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise SetupError(
                f"port {port} of {HOST} is in use: choose another with {variable}=PORT"
            ) from error


def _become(command: list[str], env: Mapping[str, str]) -> None:
    os.execve(command[0], command, dict(env))
