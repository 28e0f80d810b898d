"""Tests know nothing of the user's own runs, and nothing of each other."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tools.layout import here

pytestmark = pytest.mark.unit

THEIRS = {
    "GROUPSCALE_TABLES": "s3a://production/tables",
    "GROUPSCALE_WAREHOUSE": "/production",
    "GROUPSCALE_SPARK_MASTER": "spark://production:7077",
    "GROUPSCALE_KEEP_RUNS": "1",
    "AIRFLOW_CONN_GROUPSCALE_ALERTS": "https://chat.example.com/hooks/1",
    "MLFLOW_TRACKING_URI": "https://mlflow.example.com",
}
LEFT = "GROUPSCALE_LEFT_BY_A_TEST"


def test_tables_clusters_and_alerts_of_the_user_are_out_of_reach() -> None:
    code = "import conftest, json, os; print(json.dumps(dict(os.environ)))"
    env = os.environ | THEIRS | {"GROUPSCALE_HOME": str(here().root)}
    asked = [sys.executable, "-c", code]
    done = subprocess.run(asked, env=env, cwd=here().root, capture_output=True, check=True)
    environment = json.loads(done.stdout)
    assert environment.keys().isdisjoint(THEIRS)
    assert environment["GROUPSCALE_HOME"] == str(here().root)


@pytest.mark.parametrize("time", [1, 2])
def test_what_a_test_leaves_in_the_environment_is_gone_after_it(time: int) -> None:
    assert LEFT not in os.environ
    os.environ[LEFT] = str(time)
