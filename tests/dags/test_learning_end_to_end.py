"""The DAG `learning` through Airflow, as `make run DAG=learning` does it."""

import pytest
from deltalake import DeltaTable

from tests.dags.isolated_airflow import place, start_dag, warm_spark
from tools import run_dag

__all__ = ["place", "start_dag", "warm_spark"]

pytestmark = [pytest.mark.e2e, pytest.mark.airflow, pytest.mark.spark, pytest.mark.slow]

# The programs to compile are those of `tests/spark/test_learning_on_spark.py`.
SMALL = ["seeds=2", "episodes=2", "steps=12", "held_out=8", "hidden=8,8"]


@pytest.mark.usefixtures("warm_spark")
def test_agents_are_trained_and_judged(start_dag, tmp_path, capfd):
    status = start_dag(run_dag.LEARNING, preset="learning-smoke", set=SMALL, run_id="learned")
    shown = capfd.readouterr().out
    assert status == 0, shown
    warehouse = tmp_path / "warehouse"
    (published,) = DeltaTable(warehouse / "runs").to_pyarrow_table().to_pylist()
    assert (published["run_id"], published["status"]) == ("learned", "published")
    assert DeltaTable(warehouse / "policies").to_pyarrow_table().num_rows == 2
    checked = DeltaTable(warehouse / "validations").to_pyarrow_table().to_pylist()
    assert {"trainings", "policies", "evaluations"} <= {row["table"] for row in checked}
    assert all(row["success"] for row in checked)
    assert "learned is published" in shown
