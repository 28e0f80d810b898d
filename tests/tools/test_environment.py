"""One environment for all programs: the user's wishes, the repository's places."""

import json
import stat
from pathlib import Path

import pytest

from tools import environment
from tools.layout import Layout, here

pytestmark = pytest.mark.unit


def test_places_are_the_repositorys_whatever_the_user_has(layout, monkeypatch):
    for name in ("AIRFLOW_HOME", "SPARK_HOME", "JAVA_HOME", "AIRFLOW__CORE__DAGS_FOLDER"):
        monkeypatch.setenv(name, "/elsewhere")
    monkeypatch.setenv("AIRFLOW_CONFIG", "/elsewhere/airflow.cfg")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    env = environment.variables(layout)
    assert env["AIRFLOW_HOME"] == str(layout.airflow)
    assert env["AIRFLOW__CORE__DAGS_FOLDER"] == str(layout.root / "dags")
    assert env["JAVA_HOME"] == str(layout.java)
    assert env["PATH"].startswith(str(layout.venv / "bin"))
    assert "/elsewhere" not in " ".join(env.values())


def test_wishes_of_the_user_are_kept(layout, monkeypatch):
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", "/data/warehouse")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "https://mlflow.example")
    monkeypatch.setenv("AIRFLOW__API__PORT", "9999")
    env = environment.variables(layout)
    assert env["GROUPSCALE_WAREHOUSE"] == "/data/warehouse"
    assert env["MLFLOW_TRACKING_URI"] == "https://mlflow.example"
    assert env["AIRFLOW__API__BASE_URL"] == "http://127.0.0.1:9999"


def test_pages_ask_for_a_password_on_the_loopback_address(layout, monkeypatch):
    expected = {"AIRFLOW__API__HOST": "127.0.0.1"}
    expected |= {"AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "False"}
    expected |= {"AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin"}
    expected |= {"AIRFLOW__CORE__PLUGINS_FOLDER": str(layout.root / "tools" / "airflow_plugins")}
    for name in expected:
        monkeypatch.setenv(name, "True")
    env = environment.variables(layout)
    assert expected.items() <= env.items()


def test_the_password_is_random_kept_private_and_in_no_variable(layout):
    def of_the_file():
        return json.loads(file.read_text())["admin"]

    env = environment.variables(layout)
    file = Path(env["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"])
    password = of_the_file()
    assert len(password) == 43
    assert password not in " ".join(environment.variables(layout).values())
    assert of_the_file() == password
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    # The secrets of connections are in a database next to it.
    assert stat.S_IMODE(layout.airflow.stat().st_mode) == 0o700
    file.unlink()
    environment.variables(layout)
    assert of_the_file() != password


@pytest.mark.parametrize(
    ("master", "address"), [(None, "127.0.0.1"), ("local[2]", "127.0.0.1"), ("yarn", None)]
)
def test_a_driver_is_reached_from_outside_by_a_cluster_alone(layout, monkeypatch, master, address):
    monkeypatch.delenv("SPARK_LOCAL_IP", raising=False)
    if master:
        monkeypatch.setenv("GROUPSCALE_SPARK_MASTER", master)
    assert environment.variables(layout).get("SPARK_LOCAL_IP") == address


def test_nothing_reports_home(layout):
    env = environment.variables(layout)
    assert env["MLFLOW_DISABLE_TELEMETRY"] == "true"
    assert env["GX_ANALYTICS_ENABLED"] == "false"
    assert env["AIRFLOW__CORE__LOAD_EXAMPLES"] == "False"


def test_the_secret_is_random_kept_and_private(layout, tmp_path):
    key = "AIRFLOW__API_AUTH__JWT_SECRET"
    first = environment.variables(layout)[key]
    assert environment.variables(layout)[key] == first
    assert len(first) == 64
    file = layout.airflow / "jwt-secret"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.unlink()
    assert environment.variables(layout)[key] != first


def test_state_may_be_elsewhere(layout, tmp_path, monkeypatch):
    assert "GROUPSCALE_STATE" not in environment.variables(layout)
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path / "state"))
    assert here().state == tmp_path / "state"
    moved = Layout(layout.root, tmp_path / "state")
    env = environment.variables(moved)
    assert env["GROUPSCALE_STATE"] == str(tmp_path / "state")
    assert env["AIRFLOW_HOME"] == str(tmp_path / "state" / "airflow")
