"""Passwords and keys of this installation: random, created once, readable only by their owner."""

from __future__ import annotations

import base64
import json
import os
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tools.layout import Layout
from tools.services import mlflow_access, state_files
from tools.services.service_topology import ADMIN, DATABASES, HOST

NAMES = (
    *(f"postgres-{name}" for name in DATABASES),
    *("airflow-admin", "airflow-api", "spark-connect"),
)
FERNET = "airflow-fernet"
MLFLOW, MLFLOW_PAGES = "mlflow-admin", "mlflow-pages"
PAGES = {"Airflow": "airflow-passwords.json", "MLflow": "mlflow-password"}
"""Files of the passwords of the pages, for their users to read."""


def ensure(layout: Layout) -> dict[str, str]:
    """All secrets, missing ones created. Raises SetupError if their file is broken."""
    file = layout.services / "secrets.json"
    remedy = (
        f"restore it from a backup: it has the passwords of the databases in {layout.services}. To "
        "start anew without them, stop the services and remove that folder"
    )
    all_secrets: dict[str, str] = state_files.read(file, remedy) if file.exists() else {}
    missing = {name for name in (*NAMES, MLFLOW, MLFLOW_PAGES, FERNET) if name not in all_secrets}
    if missing:
        # A Fernet key is 32 bytes in this alphabet; the others may be anything.
        new = {name: base64.urlsafe_b64encode(secrets.token_bytes(32)).decode() for name in missing}
        all_secrets |= {name: new[name] for name in sorted(new)}
        write(file, json.dumps(all_secrets, indent=2) + "\n")
    return all_secrets


def for_postgres(layout: Layout, all_secrets: Mapping[str, str], port: int) -> Path:
    """Write the passwords of the databases as libpq reads them, and return the file.

    So they are in no address, and in no setting that a page or log could show.
    """
    lines = [
        f"{HOST}:{port}:{name}:{name}:{all_secrets[f'postgres-{name}']}\n" for name in DATABASES
    ]
    return write(layout.services / "pgpass", "".join(lines))


def for_airflow(layout: Layout, all_secrets: Mapping[str, str]) -> Path:
    """Write the password of the web page's user as Airflow reads it, and return the file."""
    content = json.dumps({ADMIN: all_secrets["airflow-admin"]})
    return write(layout.services / PAGES["Airflow"], content + "\n")


def for_mlflow(
    layout: Layout, all_secrets: Mapping[str, str], folder: Path, database: str
) -> dict[str, str]:
    """Write the users of MLflow's server as it reads them, and return its settings for them.

    folder: Folder of the server, which gets the file.
    database: Address of the database that keeps the users.
    """
    write(layout.services / PAGES["MLflow"], all_secrets[MLFLOW] + "\n")
    users = write(folder / "users.ini", mlflow_access.users(database, all_secrets[MLFLOW]))
    return {
        "MLFLOW_AUTH_CONFIG_PATH": str(users),
        # Signs the only form on its pages.
        "MLFLOW_FLASK_SERVER_SECRET_KEY": all_secrets[MLFLOW_PAGES],
    }


def for_mlflow_client(all_secrets: Mapping[str, str]) -> dict[str, str]:
    """Credentials of MLflow's client, for tasks and the command line only."""
    return {"MLFLOW_TRACKING_USERNAME": ADMIN, "MLFLOW_TRACKING_PASSWORD": all_secrets[MLFLOW]}


def for_spark(all_secrets: Mapping[str, str]) -> dict[str, str]:
    """The token of the Spark Connect server, for the server and its clients."""
    return {"SPARK_CONNECT_AUTHENTICATE_TOKEN": all_secrets["spark-connect"]}


def write(file: Path, text: str) -> Path:
    """Write a file for its owner alone; of two writers at once, one's own draft remains."""
    file.parent.mkdir(parents=True, exist_ok=True)
    number, draft = tempfile.mkstemp(prefix=f"{file.name}.", dir=file.parent)
    try:
        with os.fdopen(number, "w") as output:
            output.write(text)
            output.flush()
            os.fsync(output.fileno())
        Path(draft).replace(file)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    return file
