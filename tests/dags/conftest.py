"""Airflow for tests of DAGs: a home of its own, made before Airflow is imported."""

import io
import json
import os
import tempfile
from collections import defaultdict
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

if "AIRFLOW_HOME" not in os.environ:
    os.environ["AIRFLOW_HOME"] = tempfile.mkdtemp(prefix="airflow-")
os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"


@pytest.fixture(scope="session")
def bag():
    """All DAG files of the repository, parsed as Airflow's DAG processor does."""
    from airflow.dag_processing.dagbag import DagBag

    from tools.layout import here

    return DagBag(here().root / "dags")


@pytest.fixture
def benchmark(bag):
    """The DAG `benchmark`."""
    return bag.dags["benchmark"]


PARAMS = {
    "preset": "smoke",
    "set": [],
    "seed": None,
    "traces": [],
    "config": None,
    "warehouse": None,
    "run_id": None,
}


class Task:
    """A task instance that keeps its XComs and the states of the others."""

    dag_id, task_id, run_id = "benchmark", "conclude", "manual__1"
    map_index, try_number = -1, 1

    def __init__(self):
        self.xcoms, self.states = {}, {}

    def xcom_push(self, key, value):
        self.xcoms[key] = value

    def xcom_pull(self, task_ids, key):
        value = self.xcoms.get(key)
        return value if isinstance(task_ids, str) else [None, value, value]

    def get_task_states(self, dag_id, run_ids):
        return {run_ids[0]: {**self.states, self.task_id: "running"}}


@pytest.fixture
def context(monkeypatch, tmp_path):
    """The context of a task; its progress is in ``context["terminal"]``."""
    from pipeline.base.progress import Progress
    from pipeline.orchestration import dag_run

    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    run = SimpleNamespace(dag_id="benchmark", run_id="manual__1", run_after=moment)
    message = io.StringIO()
    made = {
        "ti": Task(),
        "dag_run": run,
        "dag": SimpleNamespace(task_ids=["score", "track"]),
        "later": set(),
        "task": SimpleNamespace(get_flat_relative_ids=lambda upstream: made["later"]),
        "params": {**PARAMS, "warehouse": str(tmp_path / "warehouse")},
        "terminal": message,
        "outlet_events": defaultdict(SimpleNamespace),
    }
    steps = Progress(stream=message)
    monkeypatch.setattr(dag_run, "get_current_context", lambda: made)
    monkeypatch.setattr(dag_run, "progress", lambda: steps)
    monkeypatch.setattr(dag_run, "_heard", {})
    monkeypatch.delenv("GROUPSCALE_OUTCOME", raising=False)
    return made


@pytest.fixture
def outcome(monkeypatch, tmp_path):
    """Function that reads the outcome left for the caller of the run."""
    file = tmp_path / "outcome.json"
    monkeypatch.setenv("GROUPSCALE_OUTCOME", str(file))
    return lambda: json.loads(file.read_text()) if file.exists() else None


@pytest.fixture
def runner(monkeypatch, tmp_path, context):
    """The runner's functions, noted in order instead of carried out."""
    import pipeline.engine.steps as real
    from pipeline.base import paths
    from pipeline.orchestration import dag_run

    calls = []
    config = SimpleNamespace(
        preset="smoke",
        by_family={"assignment": ("tradeoff",)},
        traces=(),
        has_bounds=False,
    )
    ctx = SimpleNamespace(run_id="r1", config=config, paths=paths.Paths(tmp_path))
    monkeypatch.setattr(real, "attach", lambda warehouse, run_id, owner: ctx)
    monkeypatch.setattr(real, "conclude", lambda ctx, error=None: calls.append(error))
    monkeypatch.setattr(real, "show", lambda ctx, console: console.print("table of results"))
    # Its thread would outlive the tests, and print after their summary.
    monkeypatch.setattr(real, "import_ahead", lambda *modules: None)
    monkeypatch.setattr(dag_run, "terminal", lambda: context["terminal"])
    return calls
