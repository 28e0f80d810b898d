"""Runs of the pipeline as MLflow runs.

One MLflow experiment per preset; in it a parent run per pipeline run, with configuration,
seed, versions, tables as dataset inputs, stage timings and verdicts, and below it a child run
per (experiment, δ, algorithm) with its scores, latencies and curves by iteration. Everything
comes from the run's tables, so you can track a run again at any time; its earlier MLflow runs are
replaced.
"""

from __future__ import annotations

import logging
import math
import os
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.base.process import file_lock
from pipeline.reporting.tracking import runs_page
from pipeline.reporting.tracking.content import (
    DESCRIPTION,
    PARENT,
    ROLE,
    RUN_ID,
    WAREHOUSE,
    Content,
    RunInfo,
    Step,
    TrackedRun,
)
from pipeline.reporting.tracking.inputs import dataset_inputs
from pipeline.reporting.tracking.runs_page import Scores, save_views

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Metric

SQLITE = "sqlite:///"

LONGEST_PARAM = 6000
"""Maximum length of an MLflow parameter, in characters."""

PAGE = 1000
"""MLflow runs per page of a search."""

ABOUT = {
    "mlflow.note.content": (
        "Each Groupscale run is a parent run; its child runs are the algorithms, strategies or "
        "agents that it compares. Compare parents to see changes between runs, and children to "
        "see differences within a run."
    ),
    # Otherwise MLflow's UI asks each reader whether this is about language models.
    "mlflow.experimentKind": "custom_model_development",
}
"""Tags of a new MLflow experiment."""


def log_run(
    run: TrackedRun,
    artifacts: Path | None = None,
    tracking_uri: str | None = None,
) -> str:
    """Log a run's parent and child runs, replacing earlier ones.

    artifacts: Folder whose files are attached to the parent run; None attaches none.
    tracking_uri: Tracking URI; None uses ``MLFLOW_TRACKING_URI``.
    Returns: MLflow's id of the parent run.
    """
    client, info = connect(tracking_uri), run.info
    home = _experiment(client, experiment_name(info.preset))
    _write_ahead(client)
    forget(info.run_id, info.warehouse, tracking_uri)
    whole = _write(client, home, run.parent, info)
    scores = Scores(run.parent)
    try:
        for content in run.children(whole):
            child = _write(client, home, content, info)
            client.set_terminated(child, "FINISHED")
            scores.add(content)
        client.log_batch(whole, metrics=list(_metrics(scores.means())))
        save_views(client, home, scores, info.started_ms)
        _link_to_the_one_before(client, home, whole, run)
        if artifacts is not None:
            client.log_artifacts(whole, str(artifacts))
    except BaseException:
        # Some children are missing: the parent must not look complete. If MLflow is unavailable,
        # this fails too: keep the original error.
        with suppress(Exception):
            client.set_terminated(whole, "FAILED")
        raise
    client.set_terminated(whole, "FINISHED")
    return whole


def _link_to_the_one_before(
    client: MlflowClient, home: str, whole: str, tracked: TrackedRun
) -> None:
    """Let the description lead to the comparison with the run before, of the same warehouse."""
    warehouse, content = tracked.info.warehouse.replace("'", ""), tracked.parent
    earlier = client.search_runs(
        [home],
        f"tags.`{ROLE}` = '{PARENT}' AND tags.`{WAREHOUSE}` = '{warehouse}' "
        f"AND attributes.start_time < {tracked.info.started_ms} "
        "AND attributes.status = 'FINISHED'",
        max_results=1,
        order_by=["attributes.start_time DESC"],
    )
    for run in earlier:
        link = runs_page.comparison(home, [whole, run.info.run_id])
        words = f"{content.tags[DESCRIPTION]} [Compare with {run.info.run_name}]({link})"
        client.set_tag(whole, DESCRIPTION, words)


def log_artifacts(
    mlflow_run_id: str,
    folder: Path,
    tracking_uri: str | None = None,
    without: Collection[Path] = (),
) -> None:
    """Attach a folder's files, but those in ``without``; files of the same name are replaced."""
    client = connect(tracking_uri)
    for entry in sorted(set(folder.iterdir()) - set(without)):
        client.log_artifact(mlflow_run_id, str(entry))


def find(run_id: str, warehouse: str | None = None, tracking_uri: str | None = None) -> str | None:
    """MLflow's id of the parent run of a pipeline run, None if it is not tracked."""
    client = connect(tracking_uri)
    tracked = _tracked(client, run_id, warehouse)
    parents = [run for run in tracked if run.data.tags.get(ROLE) == PARENT]
    return str(parents[0].info.run_id) if parents else None


def forget(run_id: str, warehouse: str | None = None, tracking_uri: str | None = None) -> int:
    """Delete the MLflow runs of a pipeline run; return their number.

    If a warehouse is given, runs with the same id in other warehouses are kept.

    MLflow keeps deleted runs in its trash until they are collected.
    """
    client = connect(tracking_uri)
    runs = list(_tracked(client, run_id, warehouse))
    for run in runs:
        client.delete_run(run.info.run_id)
    return len(runs)


def connect(tracking_uri: str | None = None) -> MlflowClient:
    """Client of the tracking server or database, without usage reports and chatter."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")
    for chatty in ("alembic", "mlflow.store.db.utils"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    from mlflow import MlflowClient

    with _alone(tracking_uri or os.environ.get("MLFLOW_TRACKING_URI", "")):
        return MlflowClient(tracking_uri)


@contextmanager
def _alone(tracking_uri: str) -> Iterator[None]:
    """One process at a time makes MLflow's tables at the first use of an SQLite file."""
    file = Path(tracking_uri.removeprefix(SQLITE))
    if not tracking_uri.startswith(SQLITE) or not file.parent.is_dir():
        yield
        return
    with file_lock.locked(file.with_name(f"{file.name}.lock")):
        yield


def _experiment(client: MlflowClient, name: str) -> str:
    """Id of an MLflow experiment, which is created, or taken out of the trash, if need be."""
    from mlflow.exceptions import MlflowException

    experiment = client.get_experiment_by_name(name)
    if experiment is None:
        try:
            made = client.create_experiment(name, _artifacts(client, name), tags=ABOUT)
            return str(made)
        except MlflowException:
            # Another run of the preset may have created it at the same moment.
            experiment = client.get_experiment_by_name(name)
            if experiment is None:
                raise
    if experiment.lifecycle_stage == "deleted":
        client.restore_experiment(experiment.experiment_id)
    return str(experiment.experiment_id)


def _artifacts(client: MlflowClient, name: str) -> str | None:
    """Folder for artifacts next to an SQLite database; None for a server, which decides itself.

    MLflow would default to a folder in the current directory.
    """
    database = _database(client)
    return None if database is None else (database.parent / "artifacts" / name).as_uri()


def _database(client: MlflowClient) -> Path | None:
    """The SQLite file with the tracked runs, None if a server keeps them."""
    uri = str(client.tracking_uri)
    return Path(uri.removeprefix(SQLITE)).resolve() if uri.startswith(SQLITE) else None


def _write_ahead(client: MlflowClient) -> None:
    """Switch an SQLite database to write-ahead logging.

    Hundreds of small transactions take half the time, and MLflow's UI can read during them. SQLite
    refuses this without harm if the file system does not support it.
    """
    database = _database(client)
    if database is not None:
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA journal_mode=WAL").fetchall()


def _tracked(client: MlflowClient, run_id: str, warehouse: str | None = None) -> Iterator[Any]:
    """Parent and child runs of a pipeline run, in any experiment, of any warehouse or of one.

    MLflow runs without a warehouse tag were written by older versions.
    """

    def is_meant(run: Any) -> bool:
        return warehouse is None or run.data.tags.get(WAREHOUSE, "") in (warehouse, "")

    # The filter language has no escape for quotes. Run ids contain none; an id with one must find
    # nothing rather than another run.
    safe_id = run_id.replace("'", "").replace("\\", "")
    homes = [experiment.experiment_id for experiment in client.search_experiments()]
    token: str | None = None
    while homes:
        page = client.search_runs(
            homes, f"tags.`{RUN_ID}` = '{safe_id}'", max_results=PAGE, page_token=token
        )
        yield from filter(is_meant, page)
        token = page.token
        if not token:
            return


def _write(client: MlflowClient, home: str, content: Content, info: RunInfo) -> str:
    """Create an MLflow run, log its content and return its id."""
    run = client.create_run(
        home, start_time=info.started_ms, tags=dict(content.tags), run_name=content.name
    )
    run_id = str(run.info.run_id)
    try:
        _fill(client, run_id, content, info)
    except BaseException:
        # Otherwise it would look as if it were still running. Keep the original error.
        with suppress(Exception):
            client.set_terminated(run_id, "FAILED")
        raise
    return run_id


def _fill(client: MlflowClient, run_id: str, content: Content, info: RunInfo) -> None:
    from mlflow.entities import Param

    params = [Param(key, value[:LONGEST_PARAM]) for key, value in content.params.items()]
    # The client cuts this into as few requests as MLflow's limits allow.
    client.log_batch(run_id, metrics=list(_metrics(content.metrics, content.curves)), params=params)
    if content.tables:
        client.log_inputs(run_id, dataset_inputs(info.run_id, content.tables))


def _metrics(metrics: Mapping[str, float], curves: Sequence[Step] = ()) -> Iterator[Metric]:
    """Metrics for MLflow, without missing and infinite values, which charts cannot show."""
    from mlflow.entities import Metric

    now = time.time_ns() // 1_000_000
    points = chain(((key, 0, value) for key, value in metrics.items()), curves)
    for key, step, value in points:
        if math.isfinite(value):
            yield Metric(key, float(value), now, step)


def experiment_name(preset: str) -> str:
    """Name of the MLflow experiment of a preset."""
    return f"groupscale/{preset}"
