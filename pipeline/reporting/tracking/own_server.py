"""The MLflow server of `make up`, found by its record while it runs."""

from __future__ import annotations

import json
import os

from pipeline.base import paths
from pipeline.base.process import process_table

USER, PASSWORD = "MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD"
_ADMIN = "admin"


def use() -> bool:
    """Store runs at the server of `make up` if it runs and the environment names no other place.

    Returns whether it is used. Its password goes to this process's environment. A server that has
    ended is not used: another program on its port would get the password.
    """
    folder = paths.state() / "services"
    try:
        record = json.loads((folder / "running" / "mlflow.json").read_text())
        password = (folder / "mlflow-password").read_text().strip()
        place = f"http://127.0.0.1:{record['ports']['MLFLOW_PORT']}"
        leader = record["leader"]
        process = process_table.look_up(leader["pid"])
        alive = process_table.is_same(process, leader["started"], leader["boot"])
    except (OSError, ValueError, KeyError, TypeError):
        # No such server, that of another user, or a record that is not complete.
        return False
    asked = paths.tracking_uri().rstrip("/")
    if not alive or asked not in (place, paths.default_tracking_uri()):
        return False
    os.environ["MLFLOW_TRACKING_URI"] = place
    if not os.environ.get(PASSWORD):
        os.environ.update({USER: _ADMIN, PASSWORD: password})
    return True
