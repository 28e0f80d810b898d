"""DAGs run through Airflow as `make run` does it, with databases of the tests."""

from pathlib import Path

import pytest

from tests import spark_server
from tools import environment, run_dag
from tools.layout import Layout, here
from tools.setup import databases

# One unit per experiment: each mapped task starts a JVM.
SMALL = {"preset": "smoke", "set": ["partitions=6", "iterations=8", "replicates=2", "deltas=5"]}


class Isolated(Layout):
    """The repository with its state somewhere else."""

    elsewhere: Path

    @property
    def state(self):
        return self.elsewhere


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The repository's code and packages, with new databases."""
    layout = Isolated(here().root)
    object.__setattr__(layout, "elsewhere", tmp_path_factory.mktemp("state"))
    databases.ensure(layout, environment.variables(layout))
    return layout


@pytest.fixture(scope="module")
def warm_server(tmp_path_factory):
    """Variables of one JVM for all tasks of all DAGs, as under `make up`."""
    with spark_server.serving(tmp_path_factory.mktemp("spark")) as variables:
        yield variables


@pytest.fixture
def warm_spark(warm_server, monkeypatch):
    """The tasks use the warm server. `make fault-test` has DAGs whose tasks start a JVM each."""
    for name, value in warm_server.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def start_dag(place, tmp_path, monkeypatch):
    """Function that runs the DAG on a new warehouse and returns the exit status."""
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(tmp_path / "warehouse"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)

    def benchmark(dag=run_dag.BENCHMARK, **parameters):
        return run_dag.benchmark(place, environment.variables(place), {**SMALL, **parameters}, dag)

    return benchmark
