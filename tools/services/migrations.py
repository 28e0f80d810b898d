"""Creates or migrates the tables of Airflow and MLflow in PostgreSQL.

Airflow's database gets the pool of the DAGs at the same time.

``python -m tools.services.migrations`` does so inside a container, whose environment names the
databases.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from tools.console import LIMIT_SECONDS, CommandFailed, SetupError, logged, say, words
from tools.services import postgres
from tools.services.commands import Installation
from tools.setup import databases

# MLflow's command of the same name would show the address to all users of the machine.
MLFLOW = """
import os
from mlflow.cli import cli
cli(["db", "upgrade", os.environ["MLFLOW_BACKEND_STORE_URI"]])
"""


def ensure(made: Installation) -> None:
    """Migrate both databases, in parallel. Raises SetupError, which names the log."""
    stamp = postgres.data_folder(made.layout) / "groupscale.tables"
    current = databases.versions(made.layout)
    if stamp.exists() and stamp.read_text() == current:
        return
    say("creating the tables of Airflow and MLflow")
    with ThreadPoolExecutor(2) as pool:
        jobs = [
            pool.submit(_run, made, "airflow-api-server", *databases.AIRFLOW),
            pool.submit(_run, made, "mlflow", "-c", MLFLOW),
        ]
        for job in jobs:
            job.result()
    stamp.write_text(current)


def _run(made: Installation, service: str, *arguments: str) -> None:
    layout = made.layout
    log = layout.logs / f"setup-{service}.log"
    command = words(layout.python, *arguments)
    try:
        logged(command, made.environment(service), layout.root, log)
    except CommandFailed as error:
        raise SetupError(f"cannot create the tables of {service}: {error}") from error


def main() -> int:
    """Migrate both databases, one after the other; return the status of the first that fails."""
    theirs = {**os.environ, "PGPASSWORD": os.environ["MLFLOW_DB_PASSWORD"]}
    status = _status(databases.AIRFLOW, os.environ)
    return status or _status(("-c", MLFLOW), theirs)


def _status(arguments: Sequence[str], env: Mapping[str, str]) -> int:
    try:
        return subprocess.run(
            words(sys.executable, *arguments), env=env, timeout=LIMIT_SECONDS
        ).returncode
    except subprocess.TimeoutExpired:
        say(f"groupscale: the tables were not created within {LIMIT_SECONDS:.0f} s")
        return 1


if __name__ == "__main__":
    sys.exit(main())
