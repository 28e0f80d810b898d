"""All tasks wait in one pool, which is made with the database and then left to the operator."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from pipeline.orchestration import pool
from tools.layout import here

pytestmark = pytest.mark.airflow


def test_every_task_of_both_dags_takes_the_one_slot(bag):
    """A second one would wait for Spark's cores inside its own time limit."""
    assert {"benchmark", "nightly"} <= bag.dags.keys()
    for dag in bag.dags.values():
        assert {(task.pool, task.pool_slots) for task in dag.tasks} == {(pool.NAME, 1)}
    assert pool.SLOTS == 1


def test_how_a_run_begins_and_ends_does_not_wait_for_the_work_of_the_other(bag):
    for dag in bag.dags.values():
        assert {str(task.weight_rule) for task in dag.tasks} == {"absolute"}
        weights = {task.task_id: task.priority_weight for task in dag.tasks}
        first = {"begin", "conclude", "gate"}
        assert {name for name, weight in weights.items() if weight == 2} == first
        assert {weights[name] for name in weights.keys() - first} == {1}


def test_the_guide_names_the_pool_to_who_has_an_airflow_of_his_own():
    text = (here().root / "docs" / "nightly.md").read_text()
    assert f'airflow pools set {pool.NAME} {pool.SLOTS} "{pool.MEANING}"' in text


# One process, since Airflow takes seconds to start.
TWICE = f"""
import os, sqlite3
from pipeline.orchestration import pool
pool.main()
with sqlite3.connect(os.environ["FILE"]) as database:
    row = database.execute("SELECT slots, description FROM slot_pool WHERE pool = '{pool.NAME}'")
    print("first:", *row.fetchone())
    database.execute("UPDATE slot_pool SET slots = 3 WHERE pool = '{pool.NAME}'")
pool.main()
"""


@pytest.mark.slow
def test_the_pool_is_made_once_and_slots_that_somebody_chose_stay(tmp_path):
    file = tmp_path / "airflow.db"
    env = os.environ | {
        "AIRFLOW_HOME": str(tmp_path),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{file}",
        "PYTHONPATH": str(here().root),
        "FILE": str(file),
    }
    command = [sys.executable, "-c", TWICE]
    done = subprocess.run(
        command, env=env, cwd=here().root, check=True, capture_output=True, text=True
    )
    assert f"first: 1 {pool.MEANING}" in done.stdout
    with closing(sqlite3.connect(file)) as connection:
        query = "SELECT slots, description FROM slot_pool WHERE pool = ?"
        assert connection.execute(query, [pool.NAME]).fetchall() == [(3, pool.MEANING)]
