"""Airflow's connection to a Spark cluster."""

import json
import os
from types import SimpleNamespace

import pytest

from pipeline.base.errors import InputError

pytestmark = pytest.mark.airflow

OPERATORS = "AIRFLOW_CONN_GROUPSCALE_SPARK"


@pytest.fixture
def use(monkeypatch):
    """Function that uses a connection from Airflow's page, and returns master and settings."""
    from pipeline.orchestration import dag_run
    from pipeline.warehouse.spark import session_settings

    for name in (OPERATORS, session_settings.MASTER, session_settings.CONF):
        monkeypatch.delenv(name, raising=False)

    def used(host=None, extra=None):
        connection = SimpleNamespace(host=host, extra=extra, password=None)
        monkeypatch.setattr(dag_run.Connection, "get", lambda name: connection)
        dag_run.use_connection()
        return os.environ.get(session_settings.MASTER), os.environ.get(session_settings.CONF)

    return used


@pytest.mark.parametrize("host", ["local", "local[*]", "local[16]"])
def test_a_connection_chooses_sizes_and_times_on_this_machine(use, host):
    extra = {"spark.driver.memory": "4g", "spark.sql.shuffle.partitions": 64}
    extra |= {"spark.network.timeout": "300s", "spark.sql.adaptive.enabled": True}
    assert use(host, json.dumps(extra)) == (host, json.dumps(extra))


@pytest.mark.parametrize(
    "name",
    [
        "spark.jars",
        "spark.jars.packages",
        "spark.plugins",
        "spark.driver.extraJavaOptions",
        "spark.pyspark.python",
        "spark.executorEnv.LD_PRELOAD",
        "spark.sql.extensions",
        "spark.eventLog.dir",
        "spark.hadoop.fs.s3a.endpoint",
        "spark.authenticate",
        "spark.master",
        "spark.DRIVER.memory",
    ],
)
def test_settings_that_load_code_or_name_places_are_the_operators(use, name):
    with pytest.raises(InputError) as caught:
        use(None, json.dumps({"spark.driver.memory": "4g", name: "hunter2"}))
    said = str(caught.value)
    assert said.startswith(f"connection `groupscale_spark`: setting {name!r} ")
    assert "`GROUPSCALE_SPARK_CONF`" in said
    assert "hunter2" not in said
    assert "GROUPSCALE_SPARK_CONF" not in os.environ


@pytest.mark.parametrize("value", ["2g -javaagent:/tmp/a.jar", "${env:HOME}", "", "x\n", ["2g"]])
def test_values_are_sizes_and_times(use, value):
    with pytest.raises(InputError, match=r"'spark\.driver\.memory' must be a number, a size"):
        use(None, json.dumps({"spark.driver.memory": value}))


@pytest.mark.parametrize("extra", ["{", "[]", '"spark.jars"', "null"])
def test_its_extra_is_an_object(use, extra):
    with pytest.raises(InputError, match="extra must be a JSON object of Spark settings"):
        use(None, extra)


@pytest.mark.parametrize(
    "host", ["spark://evil:7077", "k8s://https://evil", "yarn", "local[2]\n", "sc://evil"]
)
def test_a_cluster_is_named_by_the_operator(use, host):
    with pytest.raises(InputError, match=r"host must be local.*`GROUPSCALE_SPARK_MASTER`"):
        use(host)


def test_what_the_environment_says_wins_whatever_the_connection_says(use, monkeypatch):
    monkeypatch.setenv("GROUPSCALE_SPARK_MASTER", "spark://head:7077")
    monkeypatch.setenv("GROUPSCALE_SPARK_CONF", "{}")
    assert use("spark://evil:7077", '{"spark.jars": "x"}') == ("spark://head:7077", "{}")


def test_a_connection_of_the_operator_names_the_cluster(monkeypatch):
    from pipeline.orchestration import dag_run
    from pipeline.warehouse.spark import session_settings

    monkeypatch.setenv(session_settings.MASTER, "local[1]")
    monkeypatch.delenv(session_settings.CONF, raising=False)
    monkeypatch.setenv(
        "AIRFLOW_CONN_GROUPSCALE_SPARK",
        json.dumps({"conn_type": "generic", "host": "spark://head:7077", "extra": {"a.b": "1"}}),
    )
    dag_run.use_connection()
    assert json.loads(os.environ[session_settings.CONF]) == {"a.b": "1"}
    # The environment takes precedence.
    assert os.environ[session_settings.MASTER] == "local[1]"
    monkeypatch.delenv(session_settings.MASTER)
    dag_run.use_connection()
    assert os.environ[session_settings.MASTER] == "spark://head:7077"


def test_a_connection_of_the_operator_names_a_server(monkeypatch):
    from pipeline.orchestration import dag_run
    from pipeline.warehouse.spark import remote_session, session_settings

    monkeypatch.delenv(session_settings.MASTER, raising=False)
    # Restored at the end, whatever the connection sets.
    for name in (remote_session.REMOTE, remote_session.TOKEN):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    connection = {"conn_type": "generic", "host": "sc://head:15002", "password": "sesame"}
    monkeypatch.setenv("AIRFLOW_CONN_GROUPSCALE_SPARK", json.dumps(connection))
    dag_run.use_connection()
    assert os.environ[remote_session.REMOTE] == "sc://head:15002"
    assert os.environ[remote_session.TOKEN] == "sesame"
    assert session_settings.MASTER not in os.environ


def test_without_a_connection_nothing_changes(monkeypatch):
    from pipeline.orchestration import dag_run
    from pipeline.warehouse.spark import session_settings

    for name in ("AIRFLOW_CONN_GROUPSCALE_SPARK", session_settings.MASTER, session_settings.CONF):
        monkeypatch.delenv(name, raising=False)
    dag_run.use_connection()
    assert session_settings.MASTER not in os.environ
