"""Airflow for tests of DAGs: a home of its own, made before Airflow is imported."""

import os
import tempfile

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
