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


@pytest.fixture
def database(tmp_path):
    """Function that runs code with Airflow on a new database, given its file."""
    file = tmp_path / "airflow.db"
    env = os.environ | {
        "AIRFLOW_HOME": str(tmp_path),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{file}",
        "PYTHONPATH": str(here().root),
    }

    def run(*words):
        subprocess.run([sys.executable, *words], env=env, cwd=here().root, check=True)
        return file

    return run


@pytest.mark.slow
def test_the_pool_is_made_once_and_slots_that_somebody_chose_stay(database):
    file = database("-m", "pipeline.orchestration.pool")
    with closing(sqlite3.connect(file)) as connection:
        found = "SELECT slots, description FROM slot_pool WHERE pool = ?"
        assert connection.execute(found, [pool.NAME]).fetchall() == [(1, pool.MEANING)]
        connection.execute("UPDATE slot_pool SET slots = 3 WHERE pool = ?", [pool.NAME])
        connection.commit()
        database("-m", "pipeline.orchestration.pool")
        assert connection.execute(found, [pool.NAME]).fetchall() == [(3, pool.MEANING)]
