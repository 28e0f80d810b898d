"""Whether Airflow has read the DAGs: until then they do not run and send no alerts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from urllib.error import HTTPError

from pipeline.base.text.failure_cause import cause
from pipeline.orchestration.dag_names import ALL as DAGS
from tools.layout import Layout
from tools.services import airflow_rest, health, records
from tools.services.airflow_rest import Airflow

PATIENCE_SECONDS = 120.0
LOOK_EVERY_SECONDS = 1.0
READER = "airflow-dag-processor"


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
        pages = airflow_rest.logged_in(layout)
        since = records.load(layout)[READER].since
        missing = [name for name in DAGS if not _is_read(pages, name, since)]
        return _with_reasons(pages, missing, since) if missing else {}
    except (OSError, ValueError, KeyError) as error:
        return dict.fromkeys(DAGS, f"no response from Airflow ({error})")


def describe(layout: Layout, missing: Mapping[str, str]) -> str:
    """One line that names the unread DAGs, with reasons, and the log."""
    each = "; ".join(f"{name} ({reason})" for name, reason in missing.items())
    return f"Airflow has not read {each}: see {layout.logs / READER}.log"


def _is_read(pages: Airflow, name: str, since: float) -> bool:
    try:
        dag = pages.ask(f"dags/{name}")
    except HTTPError as error:
        if error.code == 404:
            return False
        raise
    parsed = dag["last_parsed_time"]
    return bool(not dag["is_stale"] and parsed and health.moment(parsed) >= since)


def _with_reasons(pages: Airflow, names: list[str], since: float) -> dict[str, str]:
    """Names with the last line of Airflow's import error; errors of earlier starts are ignored."""
    errors = {
        error["filename"]: cause(error["stack_trace"])
        for error in pages.ask("importErrors?limit=100")["import_errors"]
        if health.moment(error["timestamp"]) >= since
    }
    # Each DAG of the project is in a file with its name.
    return {name: errors.get(f"{name}.py", "no import error yet") for name in names}
