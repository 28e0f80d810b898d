"""A drift under Airflow: the night is published and its DAG run red, until it is promoted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from deltalake import DeltaTable

from pipeline.base.paths import Paths
from pipeline.reporting.regression import promote
from tests.dags.isolated_airflow import place, start_dag
from tests.dags.test_end_to_end import rows
from tools import environment

__all__ = ["place", "start_dag"]

pytestmark = pytest.mark.faults

DATABASE = "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"
LEAST = ["partitions=4", "iterations=5", "replicates=2", "deltas=5", "algorithms=MWF,NF"]


def drift(warehouse: Path) -> None:
    """Change what the first night found, as if other code had found it."""
    table = DeltaTable(warehouse / "pareto")
    changed = {"mean_consumers": "mean_consumers + 100.0"}
    table.update(changed, predicate="algorithm = 'MWF' AND experiment = 'tradeoff'")
    scores = DeltaTable(warehouse / "scores")
    scores.update(changed, predicate="algorithm = 'MWF' AND experiment = 'tradeoff'")


def last_night(layout) -> tuple[str, dict[str, str]]:
    """State of the last DAG run, and of its tasks, in Airflow's database."""
    file = environment.variables(layout)[DATABASE].partition(":///")[2]
    with closing(sqlite3.connect(file)) as base:
        query = "SELECT run_id, state FROM dag_run ORDER BY id DESC LIMIT 1"
        ((run_id, state),) = base.execute(query)
        tasks = "SELECT task_id, state FROM task_instance WHERE run_id = ?"
        return state, dict(base.execute(tasks, (run_id,)).fetchall())


def test_red_promoted_green(place, start_dag, tmp_path, capfd):
    warehouse = tmp_path / "warehouse"
    assert start_dag("nightly", run_id="first", set=LEAST) == 0
    assert "Run first has no baseline " in capfd.readouterr().out
    assert last_night(place)[0] == "success"
    drift(warehouse)

    # The caller's outcome says that the run is published; Airflow's state is that of the gate.
    assert start_dag("nightly", run_id="red", set=LEAST) == 0
    shown = capfd.readouterr().out
    assert "Run red is published, but 1 value has moved " in shown
    assert "tradeoff δ=5 MWF mean_consumers: " in shown
    statuses = {row["run_id"]: row["status"] for row in rows(warehouse, "runs")}
    assert statuses == {"first": "published", "red": "published"}
    state, tasks = last_night(place)
    assert state == "failed"
    assert {name for name, ended in tasks.items() if ended == "failed"} == {"gate"}
    assert {tasks[name] for name in ("conclude", "compact", "retain")} == {"success"}

    promote.promote(Paths(warehouse), "red", "consumers were counted wrongly", "ada")
    assert start_dag("nightly", run_id="green", set=LEAST) == 0
    shown = capfd.readouterr().out
    assert "Run green compared with red: " in shown
    assert "has moved" not in shown
    assert last_night(place)[0] == "success"
