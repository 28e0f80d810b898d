"""Whether Airflow has read the DAGs: until then they do not run and send no alerts."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError

from pipeline.text.failure_cause import cause
from tools.layout import Layout
from tools.run_dag import DAGS
from tools.services import credentials, health, records
from tools.services.service_topology import ADMIN, HOST

PATIENCE_SECONDS = 120.0
LOOK_EVERY_SECONDS = 1.0
API, READER = "airflow-api-server", "airflow-dag-processor"


@dataclass(frozen=True)
class _Pages:
    """Airflow's REST interface, used as its administrator."""

    base: str
    headers: Mapping[str, str]

    def ask(self, path: str) -> Any:
        """Response of a page of the interface."""
        return _ask(f"{self.base}/api/v2/{path}", self.headers)


def wait(layout: Layout) -> dict[str, str]:
    """Wait until all DAGs have been read; return those that have not, as `unread` does."""
    until = time.monotonic() + PATIENCE_SECONDS
    while (missing := unread(layout)) and time.monotonic() < until:
        time.sleep(LOOK_EVERY_SECONDS)
    return missing


def unread(layout: Layout) -> dict[str, str]:
    """DAGs that Airflow has not read, or can no longer read, with the reason for each.

    DAGs read before its DAG processor was started do not count: settings may have changed since.
    """
    try:
        pages = _logged_in(layout)
        since = records.load(layout)[READER].since
        missing = [name for name in DAGS if not _is_read(pages, name, since)]
        return _with_reasons(pages, missing, since) if missing else {}
    except (OSError, ValueError, KeyError) as error:
        return dict.fromkeys(DAGS, f"no response from Airflow ({error})")


def describe(layout: Layout, missing: Mapping[str, str]) -> str:
    """One line that names the unread DAGs, with reasons, and the log."""
    each = "; ".join(f"{name} ({reason})" for name, reason in missing.items())
    return f"Airflow has not read {each}: see {layout.logs / READER}.log"


def _logged_in(layout: Layout) -> _Pages:
    base = f"http://{HOST}:{records.load(layout)[API].ports['AIRFLOW__API__PORT']}"
    login = {"username": ADMIN, "password": credentials.ensure(layout)["airflow-admin"]}
    token = _ask(f"{base}/auth/token", {"Content-Type": "application/json"}, login)
    return _Pages(base, {"Authorization": f"Bearer {token['access_token']}"})


def _is_read(pages: _Pages, name: str, since: float) -> bool:
    try:
        found = pages.ask(f"dags/{name}")
    except HTTPError as error:
        if error.code == 404:
            return False
        raise
    parsed = found["last_parsed_time"]
    return bool(not found["is_stale"] and parsed and health.moment(parsed) >= since)


def _with_reasons(pages: _Pages, names: list[str], since: float) -> dict[str, str]:
    """Names with the last line of Airflow's import error; errors of earlier starts are ignored."""
    errors = {
        error["filename"]: cause(error["stack_trace"])
        for error in pages.ask("importErrors?limit=100")["import_errors"]
        if health.moment(error["timestamp"]) >= since
    }
    # Each DAG of the project is in a file with its name.
    return {name: errors.get(f"{name}.py", "no import error yet") for name in names}


def _ask(page: str, headers: Mapping[str, str], content: object = None) -> Any:
    data = None if content is None else json.dumps(content).encode()
    return json.loads(health.get(urllib.request.Request(page, data, dict(headers))))
