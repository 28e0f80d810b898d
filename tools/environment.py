"""Environment variables that configure everything that set-up installs."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path

from pipeline.base.process import own_environment
from tools.layout import Layout
from tools.services import credentials
from tools.services.service_topology import ADMIN, AIRFLOW_PORT, HOST, OPERATOR, PLUGINS
from tools.setup.packages import clean_environment

# Settings of the user's own Airflow must not affect this repository's.
FOREIGN = ("AIRFLOW_CONFIG",)


def variables(layout: Layout) -> dict[str, str]:
    """Return the environment in which the repository's programs run.

    Variables that the user has set take precedence, except for the locations of databases, code
    and interpreters.
    """
    others = (*FOREIGN, *own_environment.foreign(os.environ, local=not _is_on_a_cluster()))
    inherited = {n: v for n, v in clean_environment().items() if n not in others}
    return _defaults(layout) | inherited | _fixed(layout)


def _defaults(layout: Layout) -> dict[str, str]:
    database = layout.mlflow / "mlflow.db"
    port = os.environ.get("AIRFLOW__API__PORT", str(AIRFLOW_PORT))
    return {
        "GROUPSCALE_WAREHOUSE": str(layout.root / "warehouse"),
        "MLFLOW_TRACKING_URI": f"sqlite:///{database}",
        **({} if _is_on_a_cluster() else {"SPARK_LOCAL_IP": HOST}),
        "AIRFLOW__API__PORT": port,
        "AIRFLOW__API__BASE_URL": f"http://{HOST}:{port}",
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://{HOST}:{port}/execution/",
        # The pipeline has the same defaults.
        **{n: v for n, v in OPERATOR.items() if n.startswith("AIRFLOW__")},
    } | _no_telemetry()


def _is_on_a_cluster() -> bool:
    """Whether a cluster's executors must reach this machine."""
    return not os.environ.get("GROUPSCALE_SPARK_MASTER", "local").startswith("local")


def _no_telemetry() -> dict[str, str]:
    return {
        "DO_NOT_TRACK": "1",
        "SCARF_ANALYTICS": "false",
        "GX_ANALYTICS_ENABLED": "false",
        "MLFLOW_DISABLE_TELEMETRY": "true",
    }


def _fixed(layout: Layout) -> dict[str, str]:
    moved = {"GROUPSCALE_STATE": str(layout.elsewhere)} if layout.elsewhere else {}
    programs = os.pathsep.join([str(layout.venv / "bin"), os.environ.get("PATH", os.defpath)])
    return moved | {
        "PATH": programs,
        "VIRTUAL_ENV": str(layout.venv),
        "JAVA_HOME": str(layout.java),
        # Spark's scripts find it themselves, except below a path with a space.
        "SPARK_HOME": str(layout.spark),
        "PYSPARK_PYTHON": str(layout.python),
        "PYSPARK_DRIVER_PYTHON": str(layout.python),
        # Children that run as `python -m` import nothing from the current folder.
        own_environment.SAFE_PATH: "1",
        "GROUPSCALE_HOME": str(layout.root),
        "AIRFLOW_HOME": str(layout.airflow),
        "AIRFLOW__CORE__DAGS_FOLDER": str(layout.root / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        # Passwords go to the pages in clear, so they must never answer beyond the loopback address.
        "AIRFLOW__API__HOST": HOST,
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(layout.root / PLUGINS),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "False",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": f"{ADMIN}:admin",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(_passwords(layout)),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{layout.airflow / 'airflow.db'}",
        "AIRFLOW__LOGGING__BASE_LOG_FOLDER": str(layout.logs / "airflow"),
        "AIRFLOW__API_AUTH__JWT_SECRET": _secret(layout.airflow / "jwt-secret"),
    }


def _secret(file: Path) -> str:
    """Read a random secret, created at the first call and readable only by its owner."""
    if not file.exists():
        credentials.write(file, secrets.token_hex(32))
    return file.read_text()


def _passwords(layout: Layout) -> Path:
    """File with the password of `make airflow`'s page; Airflow would log one that it generates."""
    file = layout.airflow_passwords
    if not file.exists():
        credentials.write(file, json.dumps({ADMIN: secrets.token_urlsafe(32)}) + "\n")
        # Airflow's database contains the secrets of its connections.
        file.parent.chmod(0o700)
    return file
