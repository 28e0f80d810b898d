"""A stage that fails in Airflow."""

import re

import pytest
from deltalake import DeltaTable

from tests.dags.isolated_airflow import SMALL, place, start_dag

__all__ = ["place", "start_dag"]

pytestmark = [pytest.mark.airflow, pytest.mark.spark]


def test_a_stage_that_fails_leaves_nothing_published(start_dag, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    monkeypatch.setenv("GROUPSCALE_MLFLOW_PATIENCE", "0")
    least = ["replicates=1", "algorithms=MWF"]
    assert start_dag(run_id="first", set=[*SMALL["set"], *least]) == 1
    shown = capfd.readouterr()
    assert re.search(r"^\[.*\] track +failed", shown.out, re.MULTILINE)
    assert not re.search(r"^\[.*\] report", shown.out, re.MULTILINE)
    assert "Error: MLflow at http://127.0.0.1:9 " in shown.err
    assert "groupscale track first --publish" in shown.err
    assert "first is not published" in shown.err
    (failed,) = DeltaTable(tmp_path / "warehouse" / "runs").to_pyarrow_table().to_pylist()
    assert failed["status"] == "failed"
    assert failed["error"].startswith("MLflow at http://127.0.0.1:9 ")
