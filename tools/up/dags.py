"""Whether Airflow has read the DAGs: before, its page is empty and nothing can be triggered."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Collection
from typing import Any

from tools.console import say
from tools.run import DAGS
from tools.topology import ADMIN, HOST
from tools.up import health
from tools.up.commands import Installation

PATIENCE_SECONDS = 120.0
LOOK_EVERY_SECONDS = 1.0


def wait(made: Installation, patience: float = PATIENCE_SECONDS) -> bool:
    """Wait until all DAGs are there; say where to look if one stays away, and tell whether."""
    until = time.monotonic() + patience
    while missing := unread(made):
        if time.monotonic() > until:
            names = ", ".join(missing)
            log = made.layout.logs / "airflow-dag-processor.log"
            say(f"Airflow has not read {names} after {patience:.0f} s: see {log}")
            return False
        time.sleep(LOOK_EVERY_SECONDS)
    return True


def unread(made: Installation) -> Collection[str]:
    """DAGs that Airflow does not know yet, as its own administrator sees it."""
    base = f"http://{HOST}:{made.ports['AIRFLOW__API__PORT']}"
    login = {"username": ADMIN, "password": made.secrets["airflow-admin"]}
    try:
        token = _ask(f"{base}/auth/token", {"Content-Type": "application/json"}, login)
        bearer = {"Authorization": f"Bearer {token['access_token']}"}
        found = _ask(f"{base}/api/v2/dags?limit=100", bearer)["dags"]
    except (OSError, ValueError, KeyError):
        return DAGS
    known = {dag["dag_id"] for dag in found}
    return [name for name in DAGS if name not in known]


def _ask(page: str, headers: dict[str, str], content: object = None) -> Any:
    data = None if content is None else json.dumps(content).encode()
    return json.loads(health.get(urllib.request.Request(page, data, headers)))
