"""Creates the databases of Airflow and MLflow: SQLite files that appear when complete."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pipeline.orchestration import pool
from tools.console import CommandFailed, SetupError, logged, step, words
from tools.layout import Layout

# Airflow's tables, and the pool of the DAGs.
AIRFLOW = ("-m", "pipeline.orchestration.pool")
# The first use of the client creates MLflow's tables.
TOUCH_MLFLOW = "from mlflow import MlflowClient; MlflowClient().search_experiments(max_results=1)"


def is_ready(layout: Layout) -> bool:
    """Whether both databases exist, made for the installed versions."""
    current = versions(layout)
    return all(stamp.exists() and stamp.read_text() == current for stamp in _stamps(layout))


def ensure(layout: Layout, env: Mapping[str, str]) -> None:
    """Create or upgrade the databases, in parallel. Raises SetupError if one fails."""
    if is_ready(layout):
        return
    with step("databases of Airflow and MLflow"), ThreadPoolExecutor(2) as workers:
        jobs = [workers.submit(_airflow, layout, env), workers.submit(_mlflow, layout, env)]
        for job in jobs:
            job.result()
    for stamp in _stamps(layout):
        stamp.write_text(versions(layout))


def _stamps(layout: Layout) -> list[Path]:
    return [layout.airflow / ".complete", layout.mlflow / ".complete"]


def versions(layout: Layout) -> str:
    """What the databases depend on: versions of Airflow and MLflow, and the DAGs' pool."""
    lines = (layout.requirements / "requirements.in").read_text().splitlines()
    owners = ("apache-airflow=", "mlflow=")
    pinned = [line for line in lines if line.startswith(owners)]
    return "\n".join([*pinned, f"pool {pool.NAME}"])


def _airflow(layout: Layout, env: Mapping[str, str]) -> None:
    command = words(layout.python, *AIRFLOW)
    key = "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"
    _make(layout, layout.airflow / "airflow.db", command, env, key)


def _mlflow(layout: Layout, env: Mapping[str, str]) -> None:
    command = words(layout.python, "-c", TOUCH_MLFLOW)
    _make(layout, layout.mlflow / "mlflow.db", command, env, "MLFLOW_TRACKING_URI")


def _make(layout: Layout, file: Path, command: list[str], env: Mapping[str, str], key: str) -> None:
    """Run ``command`` on a draft of a new database, or on the existing one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file if file.exists() else file.with_suffix(".draft")
    if draft != file:
        draft.unlink(missing_ok=True)
    log = layout.logs / f"setup-{file.stem}.log"
    try:
        logged(command, {**env, key: f"sqlite:///{draft}"}, layout.root, log)
    except CommandFailed as error:
        raise SetupError(f"cannot create {file}: {error}") from error
    draft.replace(file)
