"""Parsing is cheap: Airflow does it every few seconds, for as long as it runs."""

import json
import subprocess
import sys

import pytest

from tools.layout import here

pytestmark = pytest.mark.airflow

BANNED = {"pyspark", "numba", "mlflow", "delta", "great_expectations", "scipy", "matplotlib"}
BUDGET_SECONDS = 1.0

# What Airflow itself imports does not count. CPU time does not depend on what else runs here.
MEASURE = """
import json, sys, time
import airflow.sdk, airflow.sdk.exceptions
airflow.sdk.dag, airflow.sdk.task, airflow.sdk.Param, airflow.sdk.get_current_context
before, started = set(sys.modules), time.process_time()
import {module}
spent = time.process_time() - started
print(json.dumps([spent, sorted({{n.partition(".")[0] for n in set(sys.modules) - before}})]))
"""
FILES = sorted(file.stem for file in (here().root / "dags").glob("[a-z]*.py"))


@pytest.mark.parametrize("name", FILES)
def test_a_dag_file_imports_little_and_fast(name):
    command = [sys.executable, "-c", MEASURE.format(module=f"dags.{name}")]
    done = subprocess.run(command, cwd=here().root, capture_output=True, text=True, check=True)
    seconds, packages = json.loads(done.stdout.splitlines()[-1])
    assert "pipeline" in packages
    assert BANNED.isdisjoint(packages)
    assert seconds < BUDGET_SECONDS
