"""Airflow's connection to a Spark cluster."""

import json
import os

import pytest

pytestmark = pytest.mark.airflow


def test_a_connection_names_the_cluster(monkeypatch):
    from pipeline import dag_run, session

    monkeypatch.setenv(session.MASTER, "local[1]")
    monkeypatch.delenv(session.CONF, raising=False)
    monkeypatch.setenv(
        "AIRFLOW_CONN_GROUPSCALE_SPARK",
        json.dumps({"conn_type": "generic", "host": "spark://head:7077", "extra": {"a.b": "1"}}),
    )
    dag_run.use_connection()
    assert json.loads(os.environ[session.CONF]) == {"a.b": "1"}
    # What the environment says wins.
    assert os.environ[session.MASTER] == "local[1]"
    monkeypatch.delenv(session.MASTER)
    dag_run.use_connection()
    assert os.environ[session.MASTER] == "spark://head:7077"


def test_without_a_connection_nothing_changes(monkeypatch):
    from pipeline import dag_run, session

    for name in ("AIRFLOW_CONN_GROUPSCALE_SPARK", session.MASTER, session.CONF):
        monkeypatch.delenv(name, raising=False)
    dag_run.use_connection()
    assert session.MASTER not in os.environ
