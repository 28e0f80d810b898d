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
import importlib, json, os, sys, time
import airflow.sdk, airflow.sdk.exceptions
airflow.sdk.dag, airflow.sdk.task, airflow.sdk.Param, airflow.sdk.get_current_context
before = set(sys.modules)
for name in sys.argv[1:]:
    # A process for each, with what Airflow has imported.
    if os.fork():
        os.wait()
        continue
    started = time.process_time()
    importlib.import_module(f"dags.{name}")
    spent = time.process_time() - started
    packages = sorted({module.partition(".")[0] for module in set(sys.modules) - before})
    print(json.dumps([name, spent, packages]), flush=True)
    os._exit(0)
"""
FILES = sorted(file.stem for file in (here().root / "dags").glob("[a-z]*.py"))


def test_a_dag_file_imports_little_and_fast():
    command = [sys.executable, "-c", MEASURE, *FILES]
    done = subprocess.run(command, cwd=here().root, capture_output=True, text=True, check=True)
    measured = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert [name for name, _, _ in measured] == FILES
    for name, seconds, packages in measured:
        assert "pipeline" in packages, name
        assert BANNED.isdisjoint(packages), name
        assert seconds < BUDGET_SECONDS, name
